import { matches, type RequestMatch, type StripeRequest } from './fake-request.ts';
import { forbidden, noSuch, rateLimited, StripeRefusal, unauthorized } from './stripe-refusal.ts';

export type FaultAnswer =
  /** 429 with code rate_limit; `reason` is that of `Stripe-Rate-Limited-Reason`. */
  | { answer: 'rate-limit'; retryAfterSeconds?: number; reason?: string }
  /** 429 with code lock_timeout: another request has the object; no limit is named. */
  | { answer: 'locked' }
  /** 500 with api_error. */
  | { answer: 'server-error'; status?: number }
  /** 401: the key was rejected. */
  | { answer: 'unauthorized' }
  /** 403: a restricted key without the permission. */
  | { answer: 'forbidden'; permission?: string }
  /** 404 resource_missing. */
  | { answer: 'missing' }
  /** 400 invalid_request_error. */
  | { answer: 'invalid'; message: string }
  /** The connection is cut without an answer; nothing was done. */
  | { answer: 'cut' }
  /** No answer ever, until the fault is removed (then the connection is cut); nothing was done. */
  | { answer: 'hang' }
  /** It is done, and the answer is cut off in its middle. */
  | { answer: 'half' };

export type FaultSpec = RequestMatch &
  FaultAnswer & {
    /** How many requests it meets. Default: all, until removed. */
    times?: number;
  };

export type Fault = {
  /** Requests it has met. */
  hits(): number;
  remove(): void;
};

export type Hold = {
  /** Requests that wait for their answers now. */
  waiting(): number;
  /** Lets go those that wait, and no longer holds the following ones. */
  release(): void;
};

export type HoldOptions = RequestMatch & {
  /**
   * Default `before`: what is asked is done at release. `after`: at once, only its answer waits.
   */
  when?: 'before' | 'after';
};

/** What a fault makes of a request, when there is one for it. */
export type Met = { outcome: 'refuse'; refusal: StripeRefusal } | { outcome: 'cut' | 'half' };

export type Faults = {
  fail(spec: FaultSpec): Fault;
  hold(options?: HoldOptions): Hold;
  meet(request: StripeRequest): Promise<Met | undefined>;
  held(request: StripeRequest, when: 'before' | 'after'): Promise<void>;
  /** Those that hang are cut, those held let go. */
  releaseAll(): void;
};

type Active = { spec: FaultSpec; hits: number; removed: Promise<void>; remove: () => void };
type ActiveHold = {
  options: HoldOptions;
  waiting: number;
  done: Promise<void>;
  release: () => void;
};

export function createFaults(): Faults {
  const faults = new Set<Active>();
  const holds = new Set<ActiveHold>();
  return {
    fail(spec) {
      const { promise: removed, resolve } = Promise.withResolvers<void>();
      const fault: Active = { spec, hits: 0, removed, remove: resolve };
      faults.add(fault);
      const remove = () => {
        faults.delete(fault);
        resolve();
      };
      return { hits: () => fault.hits, remove };
    },
    hold(options = {}) {
      const { promise: done, resolve } = Promise.withResolvers<void>();
      const held: ActiveHold = { options, waiting: 0, done, release: resolve };
      holds.add(held);
      const release = () => {
        holds.delete(held);
        resolve();
      };
      return { waiting: () => held.waiting, release };
    },
    async meet(request) {
      const isFor = ({ spec, hits }: Active) =>
        matches(request, spec) && hits < (spec.times ?? Infinity);
      const fault = [...faults].find(isFor);
      if (fault === undefined) return undefined;
      fault.hits += 1;
      const { spec } = fault;
      if (spec.answer === 'hang') await fault.removed;
      if (spec.answer === 'hang' || spec.answer === 'cut') return { outcome: 'cut' };
      if (spec.answer === 'half') return { outcome: 'half' };
      return { outcome: 'refuse', refusal: toRefusal(spec, request) };
    },
    async held(request, when) {
      const isFor = ({ options }: ActiveHold) =>
        matches(request, options) && (options.when ?? 'before') === when;
      for (const hold of [...holds].filter(isFor)) {
        hold.waiting += 1;
        await hold.done;
        hold.waiting -= 1;
      }
    },
    releaseAll() {
      for (const fault of faults) fault.remove();
      for (const hold of holds) hold.release();
      faults.clear();
      holds.clear();
    },
  };
}

function toRefusal(
  spec: Exclude<FaultSpec, { answer: 'cut' | 'hang' | 'half' }>,
  request: StripeRequest,
): StripeRefusal {
  switch (spec.answer) {
    case 'rate-limit':
      return rateLimited(spec);
    case 'locked': {
      const message = 'This object cannot be accessed right now.';
      return new StripeRefusal(429, { message, code: 'lock_timeout' });
    }
    case 'server-error': {
      const message = 'An unknown error occurred.';
      return new StripeRefusal(spec.status ?? 500, { message, type: 'api_error' });
    }
    case 'unauthorized':
      return unauthorized(request.apiKey);
    case 'forbidden':
      return forbidden(request.apiKey, spec.permission ?? 'rak_customer_read');
    case 'missing':
      return noSuch('object', request.path.split('/').at(-1) ?? '');
    case 'invalid':
      return new StripeRefusal(400, { message: spec.message });
  }
}

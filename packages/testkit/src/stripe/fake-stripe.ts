import { randomBytes } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StripeEvent } from './account-state.ts';
import { shapeOf, stripeApiVersions } from './api-version.ts';
import { deliverAll, type Delivery, type PatienceOptions } from './deliver-events.ts';
import {
  createFaults,
  type Fault,
  type FaultSpec,
  type Hold,
  type HoldOptions,
} from './fake-faults.ts';
import { createLimits, type FakeLimits, type Traffic } from './fake-limits.ts';
import { matches, readRequest, type RequestMatch, type StripeRequest } from './fake-request.ts';
import { answerRequest } from './fake-routes.ts';
import type { Json } from './fixtures.ts';
import { createReplies } from './idempotent-replies.ts';
import { createStripeAccount, type AccountOptions, type StripeAccount } from './stripe-account.ts';
import { unauthorized } from './stripe-refusal.ts';

export type FakeStripeOptions = AccountOptions & {
  /** Default one restricted key of the account's mode, given as `apiKey`. Other keys get 401. */
  apiKeys?: readonly string[];
  /** Default a free one; it stays the same over goAway and comeBack. */
  port?: number;
  /** Used for requests without `Stripe-Version`; the default is that of the new shape. */
  defaultApiVersion?: string;
  /** How slow it is, and how much of one key it takes. Default: not at all, and all. */
  limits?: FakeLimits;
  /** False: endpoints are made without giving their secret away. Default true. */
  givesSecrets?: boolean;
};

export type FakeStripe = {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly apiKey: string;
  readonly account: StripeAccount;
  /** Oldest first. */
  requests(match?: RequestMatch): StripeRequest[];
  forgetRequests(): void;
  traffic(): Traffic;
  fail(spec: FaultSpec): Fault;
  hold(options?: HoldOptions): Hold;
  /** Keys that are accepted, from now on. */
  setApiKeys(keys: readonly string[]): void;
  /**
   * To each enabled endpoint of the account that wants the event's kind, signed with its secret, in
   * the shape of its API version; repeated until answered with 2xx. See `deliverAll`.
   */
  deliver(events: readonly StripeEvent[], options?: PatienceOptions): Promise<Delivery[]>;
  /** Connections are refused; what waits is cut. The account stays. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** For good; what it was delivering is delivered no further. */
  stop(): Promise<void>;
};

/**
 * A Stripe that remembers, where the official stripe-mock does not: an HTTP server in this process,
 * on loopback, before an account that tests fill (`account`). Its objects are the official fixtures
 * of both API versions with what the account says; a request's `Stripe-Version` chooses the shape.
 * What a request causes (an invoice is paid) is delivered by itself, as by Stripe; what a test does
 * to the account is delivered by the test.
 */
export async function startFakeStripe(options: FakeStripeOptions = {}): Promise<FakeStripe> {
  const account = createStripeAccount(options);
  const mode = account.livemode ? 'live' : 'test';
  const apiKeys = options.apiKeys ?? [`rk_${mode}_${randomBytes(12).toString('hex')}`];
  const accepted = new Set(apiKeys);
  const log: StripeRequest[] = [];
  const faults = createFaults();
  const limits = createLimits(options.limits ?? {});
  const stopping = new AbortController();
  const exchange = createExchange({
    account,
    accepted,
    faults,
    limits,
    givesSecrets: options.givesSecrets ?? true,
    // Who does not accept within a minute hears no more of it; with Stripe it takes days.
    onEvents: (events) => void deliver(events).catch(() => undefined),
  });
  const defaultVersion = options.defaultApiVersion ?? stripeApiVersions.new;

  async function serve(message: Parameters<typeof readRequest>[0], response: ServerResponse) {
    const request = await readRequest(message, defaultVersion);
    log.push(request);
    await limits.during(() => exchange(request, response));
  }

  const deliver: FakeStripe['deliver'] = async (events, patience = {}) => {
    const deliveries: Delivery[] = [];
    for (const event of events) {
      for (const { url, secret, apiVersion } of endpointsFor(account, event)) {
        const shape = shapeOf(apiVersion ?? defaultVersion);
        const signed = { ...patience, shape, secrets: [secret], signal: stopping.signal };
        deliveries.push(...(await deliverAll(url, [event], signed)));
      }
    }
    return deliveries;
  };

  let server = await listen(serve, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const goAway = () => close(server);

  return {
    url: `http://127.0.0.1:${port}`,
    apiKey: apiKeys[0] ?? '',
    account,
    requests: (match = {}) => log.filter((request) => matches(request, match)),
    forgetRequests: () => void log.splice(0),
    traffic: limits.traffic,
    ...{ fail: faults.fail, hold: faults.hold, goAway },
    setApiKeys(keys) {
      accepted.clear();
      for (const key of keys) accepted.add(key);
    },
    deliver,
    async comeBack() {
      if (!server.listening) server = await listen(serve, port);
    },
    async stop() {
      stopping.abort();
      faults.releaseAll();
      await goAway();
    },
  };
}

function endpointsFor(account: StripeAccount, { kind }: StripeEvent) {
  return account.endpoints().filter(({ status, enabledEvents }) => {
    const wanted = enabledEvents.includes(kind) || enabledEvents.includes('*');
    return status === 'enabled' && wanted;
  });
}

type Exchange = {
  account: StripeAccount;
  accepted: ReadonlySet<string>;
  faults: ReturnType<typeof createFaults>;
  limits: ReturnType<typeof createLimits>;
  givesSecrets: boolean;
  /** Those that a request has caused. */
  onEvents: (events: readonly StripeEvent[]) => void;
};

/** From a request to its answer: faults first, then who asks, then what was answered before. */
function createExchange(options: Exchange) {
  const { account, accepted, faults, limits, givesSecrets, onEvents } = options;
  const replies = createReplies();

  function answer(request: StripeRequest): Json {
    if (!accepted.has(request.apiKey)) throw unauthorized(request.apiKey);
    const shape = shapeOf(request.apiVersion);
    const { length } = account.events;
    const answered = answerRequest({ account, request, options: { shape, givesSecrets } });
    onEvents(account.events.slice(length));
    return answered;
  }

  return async (request: StripeRequest, response: ServerResponse): Promise<void> => {
    const met = await faults.meet(request);
    if (met?.outcome === 'cut') return void response.destroy();
    await faults.held(request, 'before');
    const reply = replies.of(request, () => {
      limits.take(request);
      if (met?.outcome === 'refuse') throw met.refusal;
      return answer(request);
    });
    if (reply.status !== 429) await limits.answerIsDue();
    await faults.held(request, 'after');
    if (met?.outcome !== 'half') request.status = reply.status;
    send(response, request, reply, { half: met?.outcome === 'half' });
  };
}

function send(
  response: ServerResponse,
  request: StripeRequest,
  reply: { status: number; body: Json; headers: Record<string, string> },
  { half }: { half: boolean },
): void {
  const body = Buffer.from(JSON.stringify(reply.body, null, 2));
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': body.byteLength,
    'request-id': `req_${randomBytes(7).toString('hex')}`,
    'stripe-version': request.apiVersion,
    ...(request.idempotencyKey && { 'idempotency-key': request.idempotencyKey }),
    ...reply.headers,
  });
  if (!half) return void response.end(body);
  response.write(body.subarray(0, body.byteLength / 2), () => response.destroy());
}

async function listen(
  serve: (message: Parameters<typeof readRequest>[0], response: ServerResponse) => Promise<void>,
  port: number,
): Promise<Server> {
  const server = createServer((message, response) => {
    serve(message, response).catch((error: unknown) => {
      // A mistake of the fake's or of the test: seen in the answer.
      if (!response.headersSent) response.writeHead(500);
      response.end(JSON.stringify({ error: { message: `the fake failed: ${String(error)}` } }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

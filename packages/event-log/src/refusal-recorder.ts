import {
  type Refusal,
  refusalCodec,
  type RefusedField,
  type RefusalRecord,
  refusalSchemaVersion,
  type RefusingService,
} from '@tributary/contracts/refusal-record';
import { recordKey } from '@tributary/contracts/topics';
import type { Clock } from '@tributary/runtime/clock';
import { createRepeater } from '@tributary/runtime/repeater';
import { randomUUID } from 'node:crypto';
import type { Appender } from './appender.ts';

/** A request that was refused to a tenant that is known. */
export type RefusedRequest = {
  tenantId: string;
  accessKeyId?: string;
  /** One of ours, never one that a caller has written. */
  route: string;
  status: number;
  /** That of the problem document, where there is one. */
  code?: string;
  /** Their pointers name members of ours. */
  violations?: readonly RefusedField[];
};

/**
 * Records what is refused, for people, beside the accept path: noting is a look-up in memory, and
 * nobody waits for the append. Equal refusals of a moment are one with a count. What is beyond the
 * limits is counted only, what the log does not take is lost and counted: nothing depends on it.
 */
export type RefusalRecorder = {
  note(request: RefusedRequest): void;
  start(): void;
  /** Appends what is still there. */
  stop(): Promise<void>;
};

export const refusalLimits = { tenants: 1_000, ofATenant: 50 };

export function createRefusalRecorder(options: {
  appender: Pick<Appender, 'append'>;
  service: RefusingService;
  /** On the broker. */
  topic: string;
  clock: Clock;
  /** How many requests were lost. */
  onLost: (requests: number) => void;
  everyMs?: number;
}): RefusalRecorder {
  const { appender, service, topic, clock, onLost, everyMs = 2_000 } = options;
  let gathered = new Map<string, Gathered>();

  function gatheredOf(tenantId: string): Gathered | undefined {
    const known = gathered.get(tenantId);
    if (known !== undefined || gathered.size >= refusalLimits.tenants) return known;
    const fresh = { refusals: new Map<string, Refusal>(), omitted: 0 };
    gathered.set(tenantId, fresh);
    return fresh;
  }

  async function append(tenantId: string, { refusals, omitted }: Gathered): Promise<void> {
    const record: RefusalRecord = {
      schemaVersion: refusalSchemaVersion,
      refusalId: randomUUID(),
      ...{ tenantId, service, at: clock.now().toISOString() },
      ...{ refusals: [...refusals.values()], omitted },
    };
    const value = refusalCodec.encode(record);
    try {
      await appender.append([{ topic, key: recordKey(tenantId), value }]);
    } catch {
      onLost(record.refusals.reduce((sum, { count }) => sum + count, omitted));
    }
  }

  async function flush(): Promise<void> {
    const all = gathered;
    gathered = new Map();
    await Promise.all([...all].map(([tenantId, own]) => append(tenantId, own)));
  }

  const repeater = createRepeater({ everyMs, work: flush });
  return {
    note({ tenantId, violations = [], ...request }) {
      const own = gatheredOf(tenantId);
      if (own === undefined) return onLost(1);
      const refusal = {
        ...request,
        violations: violations.slice(0, 20).map(({ pointer, code }) => ({ pointer, code })),
      };
      const key = JSON.stringify(refusal);
      const now = clock.now().toISOString();
      const known = own.refusals.get(key);
      if (known !== undefined) Object.assign(known, { count: known.count + 1, lastAt: now });
      else if (own.refusals.size >= refusalLimits.ofATenant) own.omitted += 1;
      else own.refusals.set(key, { firstAt: now, lastAt: now, count: 1, ...refusal });
    },
    start: () => repeater.start(),
    async stop() {
      await repeater.stop();
      await flush();
    },
  };
}

type Gathered = { refusals: Map<string, Refusal>; omitted: number };

import {
  catalogSchemaVersion,
  type ProcessorConnectionRecord,
} from '@tributary/contracts/catalog-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import {
  processorCodec,
  type ProcessorRecord,
  type StripeObject,
  type TaxPolicy,
} from '@tributary/contracts/processor-record';
import type { Appender } from '@tributary/event-log/appender';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { createLogger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase } from '@tributary/testkit/database';
import { patiently } from '@tributary/testkit/patience';
import type { StripeEvent } from '@tributary/testkit/stripe/account-state';
import { stripeApiVersions, type StripeShape } from '@tributary/testkit/stripe/api-version';
import { type FakeStripe, startFakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { createApplyRecords, processorSource } from '../log/apply-records.ts';
import type { StripeAccount, StripeApi } from '../stripe/api.ts';
import { createStripeApi } from '../stripe/create-stripe-api.ts';
import { unpaced } from './unpaced.ts';
import type { Need } from '../domain/model.ts';
import { readStripeEvent } from '../domain/read-event.ts';
import { readEventObject } from '../domain/read-object.ts';
import { subjectOf } from '../domain/subject-of.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const tenantId = 'acme';
const connectionId = 'c0ffee1234567890abcdef';

/**
 * An account at Stripe, and the tables that are folded of what it told: records come as their wire
 * text, one batch each, and what is needed is asked of Stripe and recorded in turn. There is no
 * broker.
 */
export type FoldedAccount = {
  stripe: FakeStripe;
  api: StripeApi;
  asked: StripeAccount;
  connection: ProcessorConnectionRecord;
  pool: pg.Pool;
  /** Appends to the log; what is appended is folded at the next `settle`. */
  appender: Pick<Appender, 'append'>;
  /** Sets the time of every record from now on. */
  setNow(now: Date): void;
  now(): Date;
  /** Signed events arrive, and all that they need is asked. */
  report(...events: StripeEvent[]): Promise<void>;
  settle(): Promise<void>;
  /** In the order of their event ids. */
  facts(): Promise<EventRecord[]>;
  stop(): Promise<void>;
};

export async function startFoldedAccount({
  shape,
  taxPolicy = 'gross',
}: {
  shape: StripeShape;
  taxPolicy?: TaxPolicy;
}): Promise<FoldedAccount> {
  const stripe = await startFakeStripe();
  const database = await createDatabase();
  const schema = 'processor';
  const settings = { url: database.url, schema, poolSize: 4 };
  const dir = fileURLToPath(new URL('../../migrations', import.meta.url));
  const sets = [eventLogMigrations, { dir, table: 'migration' }];
  await migrate({ settings, schema, sets, logger });
  const pool = createPool(settings, { searchPath: [schema], applicationName: 'test', logger });
  const api = createStripeApi({ url: stripe.url, timeoutMs: patiently(5_000), pace: unpaced });
  const apiVersion = stripeApiVersions[shape];
  const asked: StripeAccount = { connectionId, apiKey: stripe.apiKey, apiVersion };
  const apply = createApplyRecords({ logger, eventsTopic: 'events', metadataTtlMs: 600_000 });
  const appended: string[] = [];
  let now = new Date();

  async function fold(text: string): Promise<void> {
    const decoded = processorCodec.decode(Buffer.from(text));
    if (decoded.outcome !== 'record') throw new Error(`a record is ${decoded.outcome}`);
    const incoming = { source: processorSource, key: '', value: decoded.value };
    await inTransaction(pool, (tx) => apply(tx, [incoming as never]));
  }

  /** No two records are of one moment. */
  function common(subject: string) {
    now = new Date(now.getTime() + 1);
    return {
      schemaVersion: 1 as const,
      ...{ tenantId, connectionId, processor: 'stripe' as const, subject, taxPolicy },
      receivedAt: now.toISOString(),
    };
  }
  const foldRecord = (record: ProcessorRecord) => fold(processorCodec.encode(record));

  /** What waits for an answer; what was answered, and is asked again in time, is left. */
  async function openNeeds(): Promise<(Pick<Need, 'type' | 'id'> & { subject: string })[]> {
    const { rows } = await pool.query<{ type: Need['type']; id: string; subject: string }>(
      `select need.type, need.id, need.subject from need
       left join reading using (subject_id, type, id)
       where reading.id is null or reading.received_at < need.since
       order by need.type, need.id`,
    );
    return rows;
  }

  async function settle(): Promise<void> {
    for (const text of appended.splice(0)) await fold(text);
    for (let round = 0; ; round += 1) {
      const needs = (await openNeeds()).filter((need) => !unanswerable.has(keyOf(need)));
      if (needs.length === 0) return;
      if (round > 20) throw new Error(`asked without end: ${JSON.stringify(needs)}`);
      for (const need of needs) {
        const answer = await api.fetch(asked, need);
        if (answer.outcome !== 'object') throw new Error(answer.detail);
        const { object } = answer;
        await foldRecord({ ...common(need.subject), type: 'fetched', cause: 'need', object });
        // One that is asked for again after this answer has its time later.
        if (await isStillOpen(need)) unanswerable.add(keyOf(need));
      }
    }
  }
  const unanswerable = new Set<string>();
  const keyOf = ({ type, id }: Pick<Need, 'type' | 'id'>) => `${type} ${id}`;
  const isStillOpen = async (need: Pick<Need, 'type' | 'id'>) =>
    (await openNeeds()).some((open) => keyOf(open) === keyOf(need));

  return {
    ...{ stripe, api, asked, pool },
    connection: {
      ...{ schemaVersion: catalogSchemaVersion, tenantId, version: 1 },
      ...{ publishedAt: now.toISOString(), entity: 'processor-connection', connectionId },
      ...{ processor: 'stripe', apiVersion, livemode: false, taxPolicy },
      ...{ connectedAt: now.toISOString(), sealedApiKey: null, endpoint: null, status: 'active' },
    },
    appender: {
      append(entries) {
        appended.push(...entries.map(({ value }) => value ?? ''));
        return Promise.resolve();
      },
    },
    now: () => (now = new Date(now.getTime() + 1)),
    setNow: (next) => void (now = next),
    settle,
    async report(...events) {
      for (const event of events) {
        const read = readStripeEvent(JSON.parse(event.body(shape)));
        if (read.outcome !== 'event') throw new Error(JSON.stringify(read));
        const { id, kind, livemode, createdAt, apiVersion: version } = read.event;
        const object: StripeObject | undefined = readEventObject(kind, read.event.object);
        await foldRecord({
          ...common(object ? subjectOf(object) : id),
          ...{ type: 'received', processorEventId: id, kind, livemode, createdAt },
          apiVersion: version,
          ...(object ? { object } : { ignored: 'kind-not-used' }),
        });
      }
      unanswerable.clear();
      await settle();
    },
    async facts() {
      const { rows } = await pool.query<{ record: EventRecord }>(
        'select record from fact order by event_id',
      );
      return rows.map(({ record }) => record);
    },
    async stop() {
      await pool.end();
      await Promise.all([database.drop(), stripe.stop()]);
    },
  };
}

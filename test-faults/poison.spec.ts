import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { deadLetterCodec } from '@tributary/contracts/dead-letter-record';
import {
  type EventRecord,
  eventCodec,
  eventSchemaVersion,
} from '@tributary/contracts/event-record';
import type { Codec } from '@tributary/contracts/record';
import { recordKey, topicName, topicPartitions } from '@tributary/contracts/topics';
import { type Appender, createAppender } from '@tributary/event-log/appender';
import { partitionOf } from '@tributary/event-log/partitioner';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import type { DemoTenant } from '../deploy/demo/demo-file.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import { call, purchase, tokenFor } from '../test-e2e/calls.ts';
import { countOutboxRows } from './inspect.ts';
import { readLog, wiring } from './read-log.ts';

const topic = topicName('events', wiring);
/** Reads whatever is there as text. */
const rawCodec = {
  ...eventCodec,
  decode: (bytes: Buffer | null) =>
    bytes === null
      ? { outcome: 'tombstone' as const }
      : { outcome: 'record' as const, value: bytes.toString() },
} as unknown as Codec<string>;

/** What breaks its contract is put aside; what is newer than its reader waits (design 6). */
describe('a bad record on the log of events', function () {
  this.timeout(120_000);
  let stack: Stack;
  let tenant: DemoTenant;
  let token: string;
  let db: pg.Client;
  let appender: Appender;

  before(async () => {
    stack = await startThrowawayStack();
    tenant = stack.demo.tenants[0]!;
    token = await tokenFor(stack.demo, tenant);
    db = new pg.Client({ connectionString: stack.demo.postgresUrl });
    await db.connect();
    const kafka = connectTo(stack.demo);
    appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });

  after(async () => {
    await appender?.stop();
    await db?.end();
    await stack?.stop();
  });

  async function buy(userId: string): Promise<string> {
    const invoiceId = randomUUID();
    const answer = await call(`${stack.demo.baseUrl}/v2/events/purchase-created`, {
      method: 'POST',
      token,
      body: purchase(tenant, invoiceId, { newUser: { id: userId } }),
    });
    expect(answer.status).to.equal(202);
    return invoiceId;
  }

  async function rewarded(...invoiceIds: string[]): Promise<void> {
    await eventually(
      async () => {
        const { rows } = await db.query<{ count: number }>(
          `select count(*)::int as count from rewards_g1.entitlement
           where business_key::json ->> 2 = any($1::text[]) and state = 'issued'`,
          [invoiceIds],
        );
        expect(rows[0]!.count, 'rewards').to.equal(invoiceIds.length);
      },
      { deadlineMs: 15_000 },
    );
  }

  /** A record as ingest-api writes it, with one thing wrong. */
  function event(userId: string, wrong: object): string {
    const right = {
      schemaVersion: eventSchemaVersion,
      eventId: randomUUID(),
      tenantId: tenant.tenantId,
      source: 'v2',
      receivedAt: '2026-01-31T12:00:00.000Z',
      occurredAt: '2026-01-31T12:00:00Z',
      occurredAtSeconds: '1769860800',
      ucc: tenant.referrer.ucc,
      newUser: { id: userId },
      eventType: 'purchase-created',
      purchase: { invoiceId: randomUUID(), currency: 'EUR', amount: 4900 },
    } satisfies EventRecord;
    expect(eventCodec.decode(Buffer.from(JSON.stringify(right))).outcome).to.equal('record');
    return JSON.stringify({ ...right, ...wrong });
  }

  /** A Kafka key with a NUL in the partition of another key. */
  function keyWithNul(like: string): string {
    const partition = partitionOf(topic, like, topicPartitions);
    for (let n = 0; ; n++) {
      const key = `${like}\0${n}`;
      if (partitionOf(topic, key, topicPartitions) === partition) return key;
    }
  }

  type Poison = { key?: (like: string) => string; value: (userId: string) => string };
  const poisons: Record<string, Poison & { reason: 'not-json' | 'schema' }> = {
    'that is not JSON': { value: () => '{"schemaVersion":1,', reason: 'not-json' },
    'that breaks its schema': {
      value: (user) => event(user, { occurredAtSeconds: 'yesterday' }),
      reason: 'schema',
    },
    'with a NUL in its code and in its key': {
      key: keyWithNul,
      value: (user) => event(user, { ucc: 'nul\0nul' }),
      reason: 'schema',
    },
    'with a user id of 900 characters': {
      value: (user) => event(user, { newUser: { id: 'x'.repeat(900) } }),
      reason: 'schema',
    },
    'of 900 kB of garbage': { value: () => 'garbage '.repeat(112_500), reason: 'not-json' },
  };

  for (const [what, { key = (like: string) => like, value, reason }] of Object.entries(poisons)) {
    it(`${what} ends in the dead letters and its partition goes on`, async () => {
      const userId = randomUUID();
      const first = await buy(userId);
      const ownKey = recordKey(tenant.tenantId, userId);
      const poison = { key: key(ownKey), value: value(userId) };
      await appender.append([{ topic, ...poison }]);
      await rewarded(first, await buy(userId));

      const origin = (await readLog(stack.demo, 'events', rawCodec)).find(
        (record) => record.value === poison.value,
      );
      expect(origin?.partition).to.equal(partitionOf(topic, ownKey, topicPartitions));
      const letters = await eventually(async () => {
        const all = await readLog(stack.demo, 'deadLetters', deadLetterCodec);
        const found = all
          .flatMap(({ value }) => (value.type === 'put-aside' ? [value] : []))
          .filter(({ origin: { partition, offset } }) => {
            return partition === origin!.partition && offset === String(origin!.offset);
          });
        // Each reader of the events for itself, once.
        expect(found.map(({ reader }) => reader)).to.have.members(['attribution', 'portal-r2']);
        return found;
      });
      for (const letter of letters) {
        expect(letter.reason).to.equal(reason);
        expect(letter.origin.topic).to.equal(topic);
        expect(letter.origin.key).to.match(/^[^\0]*$/);
        expect(letter.detail).to.not.equal('');
      }
      await eventually(async () => expect(await countOutboxRows(db)).to.equal(0));
    });
  }

  // The last one: its partition stays stopped.
  it('of a newer schemaVersion stops its partition alone, with an alert', async () => {
    const userId = randomUUID();
    const key = recordKey(tenant.tenantId, userId);
    const partition = partitionOf(topic, key, topicPartitions);
    await appender.append([
      { topic, key, value: event(userId, { schemaVersion: eventSchemaVersion + 1 }) },
    ]);
    const held = await buy(userId);

    const others = Array.from({ length: 60 }, () => randomUUID()).filter(
      (user) => partitionOf(topic, recordKey(tenant.tenantId, user), topicPartitions) !== partition,
    );
    await rewarded(...(await Promise.all(others.map(buy))));

    const { logFile } = stack.services.attribution.replicas[0]!;
    const alert = await eventually(() => {
      const lines = readFileSync(logFile, 'utf8').split('\n');
      const found = lines.find((line) => line.includes('alert: partition stopped (newer-schema)'));
      expect(found, 'alert').to.not.equal(undefined);
      return JSON.parse(found!) as object;
    });
    expect(alert).to.include({ level: 'error', topic, partition });
    expect((alert as { message: string }).message).to.include('deploy a newer version');
    const { rows } = await db.query(
      'select 1 from attribution_g1.fact where business_key::json ->> 2 = $1',
      [held],
    );
    expect(rows, 'what waits behind it').to.deep.equal([]);
  });
});

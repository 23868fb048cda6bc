import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import type { Redis } from 'ioredis';
import type { Stack } from '../../deploy/local/stack.ts';
import { reservationKey } from '../../services/ingest-api/src/redis/keys.ts';
import { reservationOf } from '../../services/ingest-api/src/redis/reservation.ts';
import { createKeyedSender, type SendKeyed } from '../../test-e2e/keyed-requests.ts';
import { readLog } from '../read-log.ts';

/** What Redis holds of an idempotency key; undefined when nothing. */
export type Held = { name: Buffer; eventId: string; state: string; ttlMs: number };

/** For a purchase of the first tenant. */
export async function heldBy(redis: Redis, idempotencyKey: string): Promise<Held | undefined> {
  const scope = { tenantId: 'demo-acme', eventType: 'purchase-created', idempotencyKey } as const;
  const name = reservationKey('tributary:', scope);
  const [value, ttlMs] = [await redis.getBuffer(name), await redis.pttl(name)];
  if (value === null) return undefined;
  const { eventId, state } = reservationOf(value);
  return { name, eventId, state, ttlMs };
}

/** Every record on the log that came with the key, copies included. */
export async function eventsOfKey(stack: Stack, idempotencyKey: string): Promise<EventRecord[]> {
  const records = await readLog(stack.demo, 'events', eventCodec);
  return records.map(({ value }) => value).filter((e) => e.idempotency?.key === idempotencyKey);
}

/** The first tenant's ways in: through the edge, and to each ingest-api process by itself. */
export async function sendersOf(stack: Stack): Promise<{ edge: SendKeyed; each: SendKeyed[] }> {
  const { demo, services } = stack;
  const tenant = demo.tenants[0]!;
  const each = services['ingest-api'].replicas.map(({ port }) =>
    createKeyedSender(demo, tenant, `http://127.0.0.1:${port}`),
  );
  return { edge: await createKeyedSender(demo, tenant), each: await Promise.all(each) };
}

import { createHash } from 'node:crypto';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import type { Redis } from 'ioredis';
import type { Stack } from '../../deploy/local/stack.ts';
import { createKeyedSender, type SendKeyed } from '../../test-e2e/keyed-requests.ts';
import { readLog } from '../read-log.ts';

/** What Redis holds of an idempotency key; undefined when nothing. */
export type Held = { name: Buffer; eventId: string; state: string; ttlMs: number };

/** For a purchase of the first tenant. Decision 77 has the form of key and value. */
export async function heldBy(redis: Redis, idempotencyKey: string): Promise<Held | undefined> {
  const digest = createHash('sha256').update(`demo-acme:purchase-created:${idempotencyKey}`);
  const name = Buffer.concat([Buffer.from('tributary:i:'), digest.digest().subarray(0, 16)]);
  const [value, ttlMs] = [await redis.getBuffer(name), await redis.pttl(name)];
  if (value === null) return undefined;
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(value.toString('hex', 1, 17))!;
  const eventId = groups.join('-');
  return { name, eventId, state: value[0] === 0x64 ? 'done' : 'pending', ttlMs };
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

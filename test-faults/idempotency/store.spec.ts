import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Stack } from '../../deploy/local/stack.ts';
import { validMembers } from '../../test-e2e/conformance/valid-bodies.ts';
import {
  eventIdOf,
  type KeyedAnswer,
  problemOf,
  type SendKeyed,
} from '../../test-e2e/keyed-requests.ts';
import { eventsOfKey, heldBy, sendersOf } from './keyed-events.ts';
import { sharedStack } from './shared-stack.ts';

const windowMs = 72 * 3_600_000;

/**
 * The 72 hours of a key, and what its store goes through, over two ingest-api processes and the
 * edge in front of them (4.1 rules 8 to 11, design 5 step 5).
 */
describe('idempotency keys over two processes', function () {
  this.timeout(120_000);
  let stack: Stack;
  let redis: Redis;
  let edge: SendKeyed;
  let ways: SendKeyed[];

  before(async () => {
    stack = await sharedStack();
    redis = new Redis(stack.demo.redisUrl);
    redis.on('error', () => undefined); // it is killed below
    const senders = await sendersOf(stack);
    edge = senders.edge;
    ways = [...senders.each, edge];
  });

  after(() => redis?.disconnect());

  const purchase = (more: object = {}) => ({ ...validMembers('purchase-created'), ...more });

  /** Warned of, so that there is more to repeat than an id and a time. */
  const warned = () =>
    purchase({ occurredAt: '1999-12-31T23:59:60Z', subscription: { interval: 'weekly', id: 's' } });

  /** Every way in, until none of them says "try again". */
  function whenUsable(body: object, keys: string[]): Promise<KeyedAnswer[]> {
    return eventually(
      async () => {
        const answers = await Promise.all(ways.map((send) => send(body, { keys })));
        expect(answers.map(({ status }) => status)).not.to.include(503);
        return answers;
      },
      { deadlineMs: 30_000, everyMs: 100 },
    );
  }

  /** The name under which redis holds the key, once its event is known to be on the log. */
  function whenDone(key: string): Promise<Buffer> {
    return eventually(async () => {
      const held = await heldBy(redis, key);
      expect(held?.state).to.equal('done');
      return held!.name;
    });
  }

  async function expectKeyedRefused(): Promise<void> {
    for (const send of ways) {
      const refused = await send(purchase(), { keys: [randomUUID()] });
      expect(refused.status).to.equal(503);
      expect(refused.retryAfter).to.equal('1');
      expect(problemOf(refused).code).to.equal('SERVICE_UNAVAILABLE');
      expect((await send(purchase())).status, 'without a key').to.equal(202);
    }
  }

  /** The first answer again from everywhere, 409 for another body, and one event on the log. */
  async function expectAsBefore(body: object, key: string, first: KeyedAnswer): Promise<void> {
    for (const answer of await whenUsable(body, [key])) expect(answer).to.eql(first);
    for (const answer of await whenUsable(purchase(), [key])) expect(answer.status).to.equal(409);
    const ids = new Set((await eventsOfKey(stack, key)).map(({ eventId }) => eventId));
    expect([...ids]).to.eql([eventIdOf(first)]);
  }

  it('gives 50 parallel copies one answer, and the log one event id (4.1 rule 8)', async () => {
    const key = randomUUID();
    const body = warned();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => ways[i % ways.length]!(body, { keys: [key] })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    await expectAsBefore(body, key, { ...answers[0]!, status: 202 });
  });

  it('lets one of 50 parallel bodies win, and the log has only that one (4.1 rule 9)', async () => {
    const key = randomUUID();
    const bodies = Array.from({ length: 50 }, () => purchase());
    const answers = await Promise.all(
      bodies.map((body, i) => ways[i % ways.length]!(body, { keys: [key] })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).to.have.length(49);
    const winner = statuses.indexOf(202);
    await expectAsBefore(bodies[winner]!, key, answers[winner]!);
    const [event] = await eventsOfKey(stack, key);
    expect(event).to.include({ ucc: (bodies[winner] as { ucc?: string }).ucc });
  });

  it('lets copies of a request in flight wait for its answer, another body not (design 8)', async () => {
    const key = randomUUID();
    const body = warned();
    const { kafka } = stack.servers;
    await kafka.pause();
    const answers: Promise<KeyedAnswer>[] = [];
    try {
      for (const send of [...ways, ...ways]) answers.push(send(body, { keys: [key] }));
      await eventually(async () => expect((await heldBy(redis, key))?.state).to.equal('pending'));
      for (const send of ways) {
        expect((await send(purchase(), { keys: [key] })).status).to.equal(409);
      }
    } finally {
      await kafka.resume();
    }
    const [first, ...others] = await Promise.all(answers);
    for (const answer of others) expect(answer).to.eql(first);
    await expectAsBefore(body, key, first!);
  });

  it('writes nothing for a request whose two keys differ (4.1 rule 10)', async () => {
    const [inHeader, inBody] = [randomUUID(), randomUUID()];
    const refused = await edge(purchase({ idempotencyKey: inBody }), { keys: [inHeader] });
    expect(refused.status).to.equal(400);
    for (const key of [inHeader, inBody]) {
      expect(await heldBy(redis, key)).to.equal(undefined);
      expect(await eventsOfKey(stack, key)).to.eql([]);
    }
  });

  it('keeps a key for 72 hours from its receipt; no repeat prolongs it (4.1 rule 8)', async () => {
    const key = randomUUID();
    const body = purchase();
    const first = await edge(body, { keys: [key] });
    const { receivedAt } = JSON.parse(first.text) as { receivedAt: string };
    const name = await whenDone(key);
    const ends = async () => Number(await redis.call('PEXPIRETIME', name));
    expect((await ends()) - Date.parse(receivedAt)).to.be.within(
      windowMs,
      windowMs + patiently(2_000),
    );
    const before = await ends();
    for (const send of ways) expect(await send(body, { keys: [key] })).to.eql(first);
    for (const send of ways) {
      expect((await send(purchase(), { keys: [key] })).status).to.equal(409);
    }
    expect(await ends()).to.equal(before);
  });

  it('takes the key for a new submission after that (4.1 rule 11)', async () => {
    const key = randomUUID();
    const body = purchase();
    const first = await edge(body, { keys: [key] });
    const name = await whenDone(key);
    // As if its 72 hours were over.
    await redis.pexpire(name, 1);
    await eventually(async () => expect(await redis.exists(name)).to.equal(0));
    const other = purchase();
    const second = await edge(other, { keys: [key] });
    expect(second.status).to.equal(202);
    expect(eventIdOf(second)).not.to.equal(eventIdOf(first));
    for (const send of ways) {
      expect(await send(other, { keys: [key] })).to.eql(second);
      expect((await send(body, { keys: [key] })).status).to.equal(409);
    }
  });

  it('answers 503 with a key and 202 without while redis is dead; then as before', async () => {
    const key = randomUUID();
    const body = warned();
    const first = await edge(body, { keys: [key] });
    await stack.servers.redis.kill();
    await expectKeyedRefused();
    await stack.servers.redis.restart();
    await expectAsBefore(body, key, first);
  });

  it('refuses within seconds what a hung redis answers too late; a retry is one event', async () => {
    const key = randomUUID();
    const body = warned();
    const startedMs = performance.now();
    await stack.servers.redis.pause();
    try {
      const refused = await Promise.all(ways.map((send) => send(body, { keys: [key] })));
      expect(refused.map(({ status }) => status)).to.eql(ways.map(() => 503));
      // Before the edge would answer instead, after 30 s.
      expect(performance.now() - startedMs).to.be.below(Math.min(patiently(4_000), 25_000));
      expect((await edge(purchase())).status, 'without a key').to.equal(202);
    } finally {
      await stack.servers.redis.resume();
    }
    const [first] = await whenUsable(body, [key]);
    expect(first?.status).to.equal(202);
    await expectAsBefore(body, key, first!);
  });

  it('rebuilds the keys from the log after a flush, warnings and all (design 5)', async () => {
    const key = randomUUID();
    const body = warned();
    const first = await edge(body, { keys: [key] });
    expect(first.text).to.contain('OCCURRED_AT_BACKDATED').and.contain('FIELD_NOT_YET_HONOURED');
    await redis.flushall();
    await expectKeyedRefused();
    await expectAsBefore(body, key, first);
    const { ttlMs } = (await heldBy(redis, key))!;
    const { receivedAt } = JSON.parse(first.text) as { receivedAt: string };
    expect(Date.now() + ttlMs - Date.parse(receivedAt)).to.be.within(
      windowMs - 1_000,
      windowMs + 1_000,
    );
  });

  it('rebuilds the keys when redis comes back empty (design 4, promise 10)', async () => {
    const key = randomUUID();
    const body = warned();
    const first = await edge(body, { keys: [key] });
    const { redis: server } = stack.servers;
    await server.kill();
    await rm(join(server.dir, 'data'), { recursive: true });
    await server.restart();
    await eventually(async () => expect(await redis.ping()).to.equal('PONG'));
    expect(await heldBy(redis, key), 'straight after the restart').to.equal(undefined);
    await expectKeyedRefused();
    await expectAsBefore(body, key, first);
  });

  it('answers 503 with a key while redis may evict, and as before when it may not', async () => {
    const key = randomUUID();
    const body = warned();
    const first = await edge(body, { keys: [key] });
    await redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    await eventually(expectKeyedRefused);
    // It takes every key with a lifetime, and leaves what says that none is missing.
    await redis.config('SET', 'maxmemory', '1');
    await eventually(async () => expect(await heldBy(redis, key)).to.equal(undefined));
    await redis.config('SET', 'maxmemory', '0');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await expectAsBefore(body, key, first);
  });

  it('answers 503 with a key and 202 without while redis is full; then as before', async () => {
    const key = randomUUID();
    const body = warned();
    const [first] = await whenUsable(body, [key]);
    await redis.config('SET', 'maxmemory', '1');
    await expectKeyedRefused();
    await redis.config('SET', 'maxmemory', '0');
    await expectAsBefore(body, key, first!);
  });
});

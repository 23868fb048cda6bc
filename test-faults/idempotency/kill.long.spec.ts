import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Stack } from '../../deploy/local/stack.ts';
import { purchase } from '../../test-e2e/calls.ts';
import { eventIdOf, type KeyedAnswer, type SendKeyed } from '../../test-e2e/keyed-requests.ts';
import { currentDecision, decidedTwice, readDecisions } from '../decided-once.ts';
import { eventsOfKey, type Held, heldBy, sendersOf } from './keyed-events.ts';
import { sharedStack } from './shared-stack.ts';

/**
 * An ingest-api process is killed at each step of a keyed request: after the reserve, while the
 * append is under way, after the append (design 5, step 5). Whatever it left behind, the same
 * request sent again is the event that was reserved, and has its effect once (design 4, promises 1
 * to 3). The kills under load (../kill.spec.ts) meet these moments by chance; here each is made.
 */
describe('a process killed within a keyed request', function () {
  this.timeout(120_000);
  let stack: Stack;
  let redis: Redis;
  let toFirst: SendKeyed;
  let everyWay: SendKeyed[];

  before(async () => {
    stack = await sharedStack();
    redis = new Redis(stack.demo.redisUrl);
    const { edge, each } = await sendersOf(stack);
    toFirst = each[0]!;
    everyWay = [each[1]!, toFirst, edge];
  });

  after(() => redis?.disconnect());

  const first = () => stack.services['ingest-api'].replicas[0]!;

  /**
   * Sends and does not wait; the key is held when this resolves, `pending`, and the append is not.
   */
  async function sendAndReserve(body: object, key: string): Promise<Sent> {
    const answer = toFirst(body, { keys: [key] }).catch(() => 'no answer' as const);
    const held = await eventually(
      async () => {
        const found = await heldBy(redis, key);
        expect(found?.state).to.equal('pending');
        return found!;
      },
      { everyMs: 2 },
    );
    return { answer, held };
  }
  type Sent = { answer: Promise<KeyedAnswer | 'no answer'>; held: Held };

  async function killFirst(): Promise<void> {
    expect((await first().kill('SIGKILL')).signal).to.equal('SIGKILL');
  }

  /** The event that was reserved, from every process, and what came of it. */
  async function expectOneEvent(body: object, key: string, eventId: string): Promise<void> {
    await first().restart();
    const texts = new Set<string>();
    for (const send of everyWay) {
      const answer = await eventually(
        async () => {
          const again = await send(body, { keys: [key] });
          expect(again.status, again.text).to.equal(202);
          return again;
        },
        { deadlineMs: 60_000, everyMs: 100 },
      );
      texts.add(answer.text);
    }
    expect(texts.size).to.equal(1);
    expect(eventIdOf({ text: [...texts][0]! } as KeyedAnswer)).to.equal(eventId);
    const ids = new Set((await eventsOfKey(stack, key)).map((event) => event.eventId));
    expect([...ids]).to.eql([eventId]);
    await expectOneEffect(key, eventId);
  }

  async function expectOneEffect(invoiceId: string, eventId: string): Promise<void> {
    await eventually(
      async () => {
        const log = await readDecisions(stack.demo);
        expect(currentDecision(log, eventId)).to.include({ outcome: 'attributed' });
        expect(decidedTwice(log)).to.eql([]);
        expect(await issuancesOf(invoiceId)).to.equal(1);
      },
      { deadlineMs: 30_000, everyMs: 200 },
    );
  }

  async function issuancesOf(invoiceId: string): Promise<number> {
    const db = new pg.Client({ connectionString: stack.demo.postgresUrl });
    await db.connect();
    try {
      const { rows } = await db.query<{ count: number }>(
        `select count(*)::int as count from issuance.issuance i
         join rewards_g1.entitlement e on e.reward_id = i.reward_id
         where e.business_key::json ->> 2 = $1`,
        [invoiceId],
      );
      return rows[0]!.count;
    } finally {
      await db.end();
    }
  }

  /** The invoice is named like the key. */
  const purchaseOf = (key: string) => purchase(stack.demo.tenants[0]!, key);

  it('after the reserve and before the append: a retry is the event that was reserved', async () => {
    const key = randomUUID();
    const body = purchaseOf(key);
    const { kafka } = stack.servers;
    await kafka.kill(); // nobody is there to append to
    const { answer, held } = await sendAndReserve(body, key);
    await killFirst();
    expect(await answer).to.equal('no answer');
    await kafka.restart();
    expect(await eventsOfKey(stack, key), 'on the log before the retry').to.eql([]);
    await expectOneEvent(body, key, held.eventId);
  });

  it('while the append is under way: a retry is the same event, which counts once', async () => {
    const key = randomUUID();
    const body = purchaseOf(key);
    const { kafka } = stack.servers;
    await kafka.pause(); // what is sent waits in its socket
    const { answer, held } = await sendAndReserve(body, key);
    await killFirst();
    expect(await answer).to.equal('no answer');
    await kafka.resume();
    await expectOneEvent(body, key, held.eventId);
  });

  it('after the append and before the key is done: the first answer, one event', async () => {
    const key = randomUUID();
    const body = purchaseOf(key);
    const { kafka } = stack.servers;
    await kafka.pause();
    const { answer, held } = await sendAndReserve(body, key);
    await redis.call('CLIENT', 'PAUSE', '60000', 'WRITE'); // the key cannot become done
    try {
      await kafka.resume();
      const accepted = (await answer) as KeyedAnswer;
      expect(accepted.status, 'the caller does not wait for that').to.equal(202);
      expect(eventIdOf(accepted)).to.equal(held.eventId);
      await killFirst();
    } finally {
      await redis.call('CLIENT', 'UNPAUSE');
    }
    expect((await heldBy(redis, key))?.state).to.equal('pending');
    await expectOneEvent(body, key, held.eventId);
    // The retry could not know that the event was there, and sent it again.
    expect((await eventsOfKey(stack, key)).length).to.be.at.least(2);
    await eventually(async () => expect((await heldBy(redis, key))?.state).to.equal('done'));
  });

  it('refuses another body under the key of a request that was never answered (4.1 rule 9)', async () => {
    const key = randomUUID();
    const body = purchaseOf(key);
    const { kafka } = stack.servers;
    await kafka.kill();
    const { held } = await sendAndReserve(body, key);
    await killFirst();
    await kafka.restart();
    const other = await everyWay[0]!(purchaseOf(randomUUID()), { keys: [key] });
    expect(other.status).to.equal(409);
    await expectOneEvent(body, key, held.eventId);
  });
});

import {
  type EventRecord,
  eventCodec,
  type PurchaseCreatedEvent,
} from '@tributary/contracts/event-record';
import { isLong } from '@tributary/testkit/long-run';
import type { StripeEvent } from '@tributary/testkit/stripe/account-state';
import { stripeShapes } from '@tributary/testkit/stripe/api-version';
import { eventually } from '@tributary/testkit/eventually';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import { startFold } from '../../deploy/local/start-fold.ts';
import { chainBacklog } from '../chain/backlog.ts';
import { findWrongBooks } from '../chain/books.ts';
import { readDecisions } from '../chain/current-state.ts';
import { createRandom } from '../chain/random.ts';
import { compareDecisions } from '../oracle/compare-decisions.ts';
import { compareRewards } from '../oracle/compare-rewards.ts';
import { expectedDecisions } from '../oracle/decisions.ts';
import { readRewards } from '../oracle/read-rewards.ts';
import { expectedRewards } from '../oracle/rewards.ts';
import { compareFacts } from './compare-facts.ts';
import { type Connection, connectionOf } from './connections.ts';
import { type ExpectedFact, expectedFacts } from './expected-facts.ts';
import { catalogOf, referralOf, referrerOf } from './referrals.ts';
import { chargesOf, someLife, type StripeLife } from './some-lives.ts';
import { createWorld, type World } from './world.ts';

/** For each connection; every life is lived twice. */
const livesEach = isLong ? 60 : 5;

/** One life, told twice: as it happens, and when it is over, in any order and with copies. */
type Pair = { connection: Connection; orderly: StripeLife; late: StripeLife };

/**
 * Subscriptions of both API versions and tax policies, in currencies of 0, 2 and 3 decimals, with
 * trials, upgrades and refunds. What comes of them is that of the semantics alone, whatever the
 * order; a third of the invoices is reported by the customer's own system too, under its number.
 */
describe('what Stripe tells in any order', function () {
  this.timeout(isLong ? 900_000 : 240_000);
  const connections = stripeShapes.flatMap((shape) =>
    (['gross', 'net'] as const).map((taxPolicy) =>
      connectionOf(`t-${shape}-${taxPolicy}`, { shape, taxPolicy }),
    ),
  );
  const catalog = connections.map(({ tenantId }) => catalogOf(tenantId));
  const random = createRandom(testSeed);
  const reported: PurchaseCreatedEvent[] = [];
  let world: World;
  let pairs: Pair[];
  let facts: ReadonlyMap<string, EventRecord>;

  before(async () => {
    const first = catalog.flatMap(({ tenant, revision }) => [tenant, revision]);
    world = await createWorld({ connections, first });
    await startFolds();
    await (await world.start()).ready();
    pairs = (await Promise.all(connections.map(reportAll))).flat();
    await eventually(async () => expect((await world.facts()).size).to.equal(expected().size), {
      deadlineMs: 60_000,
      everyMs: 500,
    }).catch(() => undefined); // Which are missing is told better below.
    await world.atRest();
    await foldsAtRest();
    facts = await world.facts();
  });
  after(() => world?.stop());

  async function startFolds(): Promise<void> {
    const { kafkaBrokers, postgresUrl, logs, topics } = world;
    for (const name of ['attribution', 'rewards'] as const) {
      const where = { kafkaBrokers, postgresUrl, topicPrefix: topics.prefix, logs };
      const group = await startFold(name, where);
      world.defer(() => group.stop());
      await group.ready();
    }
  }

  async function foldsAtRest(): Promise<void> {
    const nothing = { lag: 0, outbox: 0, work: 0 };
    const db = await world.db.connect();
    try {
      const look = async () => expect(await chainBacklog(db, world.topics)).to.deep.equal(nothing);
      await eventually(look, { deadlineMs: 60_000, everyMs: 200 });
    } finally {
      db.release();
    }
  }

  async function reportAll(connection: Connection): Promise<Pair[]> {
    const { tenantId } = connection;
    const begun = Array.from({ length: livesEach }, (_, n) => {
      const [orderly, late] = ['a', 'b'].map((which) =>
        someLife(world.stripe.account, seedOf(connection, n), `${tenantId}-${n}${which}`),
      );
      return { orderly: orderly!, late: late! };
    });
    const all = begun.flatMap(({ orderly, late }) => [orderly.life, late.life]);
    await world.topics.append(all.map((life) => referralOf(tenantId, life)));
    await Promise.all([
      ...begun.map(({ orderly }) => reportInOrder(connection, orderly)),
      reportLate(
        connection,
        begun.map(({ late }) => late),
      ),
    ]);
    return begun.map(({ orderly, late }) => ({
      ...{ connection, orderly: orderly.life, late: late.life },
    }));
  }

  /** Another one for each life of each connection. */
  function seedOf(connection: Connection, n: number): number {
    return testSeed + connections.indexOf(connection) * livesEach + n;
  }

  async function reportInOrder(
    connection: Connection,
    { life, steps }: ReturnType<typeof someLife>,
  ) {
    for (const events of steps) {
      await world.deliver(connection, events);
      await reportSome(connection, life);
    }
  }

  async function reportLate(connection: Connection, lives: readonly ReturnType<typeof someLife>[]) {
    const events: StripeEvent[] = lives.flatMap(({ steps }) => [...steps].flat());
    for (const { life } of lives) await reportSome(connection, life);
    const copies = events.filter(() => random.happens(0.25));
    await world.deliver(connection, random.shuffle([...events, ...copies]), { atOnce: 4 });
  }

  /**
   * Every third invoice, under its number; of the whole amount, as the customer's books have it.
   */
  async function reportSome(connection: Connection, life: StripeLife) {
    const known = new Set(reported.map(({ purchase }) => purchase.invoiceId));
    const added = [...expectedFacts(life, factOptionsOf(connection)).values()].flatMap((fact) =>
      fact.eventType === 'purchase-created' ? [asReported(life, fact)] : [],
    );
    const missing = added.filter(
      (event) => event !== undefined && !known.has(event.purchase.invoiceId),
    ) as PurchaseCreatedEvent[];
    reported.push(...missing);
    await world.topics.append(missing);
  }

  function asReported(life: StripeLife, fact: ExpectedFact & { eventType: 'purchase-created' }) {
    const index = life.invoices.findIndex(({ invoice }) => invoice.id === fact.purchase.invoiceId);
    if (index % 3 !== 0) return undefined;
    const { subscription: _none, aliases: _names, ...purchase } = fact.purchase;
    const { warnings: _warnings, ...rest } = fact;
    return {
      ...rest,
      ...{ schemaVersion: 4, source: 'v2', receivedAt: new Date().toISOString() },
      eventId: fact.eventId.replace(/^.{8}/, '00000000'),
      purchase: { ...purchase, invoiceId: life.invoices[index]!.invoice.number! },
    } satisfies PurchaseCreatedEvent as PurchaseCreatedEvent;
  }

  function factOptionsOf({ tenantId, taxPolicy }: Pick<Connection, 'tenantId' | 'taxPolicy'>) {
    return { tenantId, taxPolicy, refundsOf: world.stripe.account.refundsOf };
  }

  function expected(): Map<string, ExpectedFact> {
    return new Map(
      pairs.flatMap(({ connection, orderly, late }) =>
        [orderly, late].flatMap((life) => [...expectedFacts(life, factOptionsOf(connection))]),
      ),
    );
  }

  it('becomes the facts of its semantics, each once', () => {
    compareFacts(facts, expected());
  });

  it('leaves nothing waiting or unmatched', async () => {
    for (const { tenantId } of connections) {
      for (const state of ['waiting', 'unmatched']) {
        const path = `tenants/${tenantId}/items/search`;
        const { items } = await world.ask<{ items: object[] }>(path, { state, limit: 100 });
        expect(items, `${state} of ${tenantId}`).to.deep.equal([]);
      }
    }
  });

  it('is decided and rewarded as the oracle has it', async () => {
    const events = await readEvents();
    const decisions = expectedDecisions(oracleWorld(events));
    compareDecisions(await readDecisions(world.db, world.topics), decisions);
    const rewards = await readRewards((sql) => world.db.query(sql));
    compareRewards(rewards, expectedRewards(oracleWorld(events), decisions));
    const db = await world.db.connect();
    expect(await findWrongBooks(db)).to.deep.equal([]);
    db.release();
  });

  it('gives the same balances in both orders', async () => {
    const { rows } = await world.db.query<{ id: string; entitled: string }>(
      `select tenant_id || '/' || recipient_id as id, trim_scale(entitled)::text as entitled
       from rewards_g1.recipient`,
    );
    const balances = new Map(rows.map(({ id, entitled }) => [id, entitled]));
    const balanceOf = (tenantId: string, life: StripeLife) =>
      balances.get(`${tenantId}/${referrerOf(life)}`) ?? '0';
    const seen = new Set<string>();
    for (const { connection, orderly, late } of pairs) {
      const { tenantId } = connection;
      expect(balanceOf(tenantId, late), late.ucc).to.equal(balanceOf(tenantId, orderly));
      seen.add(balanceOf(tenantId, late));
    }
    expect(seen.size, 'balances').to.be.greaterThan(pairs.length / 2);
  });

  it('earns once when the customer reports the invoice too', async () => {
    expect(reported.length).to.be.greaterThan(pairs.length);
    const decisions = new Map(
      (await readDecisions(world.db, world.topics)).map((one) => [one.eventId, one]),
    );
    for (const { eventId, purchase } of reported) {
      const ours = [...facts.values()].find(
        (fact) =>
          fact.eventType === 'purchase-created' &&
          fact.purchase.aliases?.includes(purchase.invoiceId!),
      );
      expect(decisions.get(eventId)?.outcome, purchase.invoiceId).to.equal('attributed');
      expect(decisions.get(ours!.eventId), purchase.invoiceId).to.include({
        ...{ outcome: 'not-attributed', reason: 'duplicate', duplicateOf: eventId },
      });
    }
  });

  it('takes back exactly what was paid when all is refunded', () => {
    let whole = 0;
    for (const { orderly, late } of pairs) {
      for (const charge of [orderly, late].flatMap(chargesOf)) {
        const refunds = world.stripe.account.refundsOf(charge.id);
        const counted = refunds.filter(({ status }) => status !== 'failed');
        if (counted.reduce((sum, { amount }) => sum + amount, 0) < charge.amount) continue;
        const about = [...facts.values()].filter((fact) => isAbout(fact, charge.paymentIntentId!));
        const sums = { 'purchase-created': 0, 'purchase-refunded': 0 };
        for (const fact of about) {
          if (fact.eventType === 'purchase-created') sums[fact.eventType] += fact.purchase.amount;
          if (fact.eventType === 'purchase-refunded') sums[fact.eventType] += fact.refund.amount;
        }
        expect(sums['purchase-refunded'], charge.id).to.equal(sums['purchase-created']);
        whole += 1;
      }
    }
    expect(whole).to.be.greaterThan(pairs.length / 4);
  });

  it('put nothing aside as a dead letter', async () => {
    expect(await world.countOf('deadLetters')).to.equal(0);
  });

  const readEvents = () => world.topics.read('events', eventCodec);

  function oracleWorld(events: readonly EventRecord[]) {
    const distinct = new Map(events.map((event) => [event.eventId, event]));
    return {
      events: [...distinct.values()],
      codes: pairs.flatMap(({ connection, orderly, late }) =>
        [orderly, late].map((life) => referralOf(connection.tenantId, life)),
      ),
      tenants: catalog.map(({ tenant }) => tenant),
      revisions: catalog.map(({ revision }) => revision),
    };
  }
});

function isAbout(fact: EventRecord, name: string): boolean {
  const payment =
    fact.eventType === 'purchase-created'
      ? fact.purchase
      : fact.eventType === 'purchase-refunded'
        ? fact.refund
        : undefined;
  return payment?.invoiceId === name || (payment?.aliases?.includes(name) ?? false);
}

import type { StripeEvent } from '@tributary/testkit/stripe/account-state';
import { testSeed } from '@tributary/testkit/test-seed';
import { createRandom } from '../chain/random.ts';
import { compareFacts } from './compare-facts.ts';
import type { Connection } from './connections.ts';
import { type ExpectedFact, expectedFacts } from './expected-facts.ts';
import { someLife, type StripeLife } from './some-lives.ts';
import type { World } from './world.ts';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';

/** Lives that are over, and all that Stripe has to tell of them: in any order, some of it twice. */
export type Reported = { connection: Connection; lives: StripeLife[]; events: StripeEvent[] };

export function liveSome(
  { stripe }: World,
  connection: Connection,
  { lives: count, from = 0 }: { lives: number; from?: number },
): Reported {
  const random = createRandom(testSeed + from);
  const begun = Array.from({ length: count }, (_, n) =>
    someLife(stripe.account, testSeed + from + n, `${connection.tenantId}-${from + n}`),
  );
  const events = begun.flatMap(({ steps }) => [...steps].flat());
  const copies = events.filter(() => random.happens(0.2));
  return {
    connection,
    lives: begun.map(({ life }) => life),
    events: random.shuffle([...events, ...copies]),
  };
}

export function expectedOf(
  { stripe }: World,
  reported: readonly Reported[],
): Map<string, ExpectedFact> {
  const { refundsOf } = stripe.account;
  return new Map(
    reported.flatMap(({ connection: { tenantId, taxPolicy }, lives }) =>
      lives.flatMap((life) => [...expectedFacts(life, { tenantId, taxPolicy, refundsOf })]),
    ),
  );
}

/** Nothing lost, nothing doubled: the facts of these lives, and every event of them on record. */
export async function expectAllReported(
  world: World,
  reported: readonly Reported[],
): Promise<void> {
  const expected = expectedOf(world, reported);
  await eventually(async () => expect((await world.facts()).size).to.equal(expected.size), {
    deadlineMs: 60_000,
    everyMs: 300,
  }).catch(() => undefined); // Which are missing is told better below.
  await world.atRest();
  compareFacts(await world.facts(), expected);
  const records = await world.records();
  const kept = records.flatMap((one) => (one.type === 'received' ? [one.processorEventId] : []));
  const sent = reported.flatMap(({ events }) => events.map(({ id }) => id));
  expect([...new Set(kept)].sort()).to.deep.equal([...new Set(sent)].sort());
  expect(await world.countOf('deadLetters'), 'dead letters').to.equal(0);
}

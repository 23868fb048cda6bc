import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import fc from 'fast-check';
import { revisions, shuffledRecords } from '../../packages/rewards-fold/src/testing/arbitrary.ts';
import {
  asDuplicate,
  purchaseDecision,
  revisionOf,
} from '../../packages/rewards-fold/src/testing/records.ts';
import { type Book, createBook } from '../../services/rewards/src/testing/in-memory-book.ts';

/**
 * What can happen to rewards, in any order: decisions with refunds that come, move and go,
 * campaigns that are raised for facts of the past, releases as holds end, and operators who release
 * and withhold.
 */
export type Step =
  | { kind: 'decide'; records: DecisionRecord[] }
  | { kind: 'raise'; campaignId: string; credits: string }
  | { kind: 'release'; issuedAt: string }
  | { kind: 'act'; nth: number; type: 'released' | 'withheld' };

/** No release of a history is later. */
export const endOfHistory = '2026-03-20T00:00:00.000Z';

export type History = { revisions: CampaignRevisionRecord[]; steps: Step[] };

const raised = fc.record({
  kind: fc.constant('raise' as const),
  campaignId: fc.constantFrom('c1', 'c2'),
  credits: fc.constantFrom('1', '7', '25'),
});
const released = fc.record({
  kind: fc.constant('release' as const),
  issuedAt: fc.constantFrom('2026-03-02T00:00:00.000Z', endOfHistory, endOfHistory),
});
const acted = fc.record({
  kind: fc.constant('act' as const),
  nth: fc.nat({ max: 40 }),
  type: fc.constantFrom('released' as const, 'released' as const, 'withheld' as const),
});
const between: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: raised },
  { weight: 5, arbitrary: released },
  { weight: 3, arbitrary: acted },
);

export const histories: fc.Arbitrary<History> = fc
  .record({
    revisions,
    records: shuffledRecords,
    batch: fc.integer({ min: 1, max: 5 }),
    others: fc.array(fc.array(between, { maxLength: 3 }), { minLength: 4, maxLength: 16 }),
  })
  .map(({ revisions, records, batch, others }) => {
    const batches = Array.from({ length: Math.ceil(records.length / batch) }, (_, i) =>
      records.slice(i * batch, (i + 1) * batch),
    );
    const rounds = Math.max(batches.length, others.length);
    const steps = Array.from({ length: rounds }, (_, i): Step[] => [
      ...(batches[i] === undefined ? [] : [{ kind: 'decide' as const, records: batches[i] }]),
      ...(others[i] ?? []),
    ]);
    return { revisions, steps: steps.flat() };
  });

const half = {
  ...{ eventId: 'refund', occurredAt: '2026-03-02T00:00:00Z', occurredAtSeconds: '1772409600' },
  ...{ receivedAt: '2026-03-02T00:00:00.000Z', reversedAmount: 2_450, full: false },
};

/**
 * The second purchase has been paid for when the first arrives, which takes the only room there is.
 */
export const outranked: History = {
  revisions: ['c1', 'c2'].map((campaignId) => {
    const limits = { perRecipient: [{ period: 'lifetime' as const, count: 1 }] };
    const rules = revisionOf().rules.map((rule) => ({ ...rule, limits }));
    return revisionOf({ campaignId, rules });
  }),
  steps: [
    { kind: 'decide', records: [purchaseDecision(2)] },
    { kind: 'release', issuedAt: endOfHistory },
    { kind: 'decide', records: [purchaseDecision(1)] },
  ],
};

/**
 * Two purchases are paid for and taken back, two others are netted with that, and the first one
 * counts again: the first of the netted ones is paid for after all.
 */
export const nettedAndPaid: History = {
  revisions: ['c1', 'c2'].map((campaignId) => revisionOf({ campaignId })),
  steps: [
    { kind: 'decide', records: [1, 2].map((n) => purchaseDecision(n)) },
    { kind: 'release', issuedAt: endOfHistory },
    { kind: 'decide', records: [1, 2].map((n) => asDuplicate(purchaseDecision(n), 'other')) },
    { kind: 'decide', records: [3, 4].map((n) => purchaseDecision(n)) },
    { kind: 'release', issuedAt: endOfHistory },
    { kind: 'decide', records: [{ ...purchaseDecision(1), version: 3 }] },
  ],
};

/**
 * One purchase is refunded in part after its reward was issued, and another one's reward is raised.
 */
export const refundedAndRaised: History = {
  revisions: ['c1', 'c2'].map((campaignId) => revisionOf({ campaignId })),
  steps: [
    { kind: 'decide', records: [purchaseDecision(1), purchaseDecision(2, { campaignId: 'c2' })] },
    { kind: 'release', issuedAt: endOfHistory },
    { kind: 'decide', records: [{ ...purchaseDecision(1), version: 2, reversals: [half] }] },
    { kind: 'raise', campaignId: 'c2', credits: '25' },
  ],
};

/** The service's own functions over the history: the fold, the settlement, the ledger. */
export function play({ revisions, steps }: History): Book {
  const book = createBook();
  for (const revision of revisions) book.publish(revision);
  let newest = 2;
  for (const step of steps) {
    switch (step.kind) {
      case 'decide':
        book.decide(...step.records);
        break;
      case 'raise': {
        newest += 1;
        raise(book, revisions, step, newest);
        break;
      }
      case 'release':
        book.release(step.issuedAt);
        break;
      case 'act': {
        const all = book.rewards();
        const reward = all[step.nth % Math.max(all.length, 1)];
        if (reward) book.act(reward.rewardId, step.type);
        break;
      }
      default:
        step satisfies never;
    }
  }
  return book;
}

/** As a committed preview does: a later revision, under which everything is decided again. */
function raise(
  book: Book,
  revisions: readonly CampaignRevisionRecord[],
  { campaignId, credits }: Extract<Step, { kind: 'raise' }>,
  revision: number,
): void {
  const first = revisions.find((one) => one.campaignId === campaignId);
  if (!first) throw new Error(`no revision of ${campaignId}`);
  const effect = { kind: 'fixed' as const, credits };
  const rules = first.rules.map(({ newUserEffect: _, ...rule }) => ({ ...rule, effect }));
  const publishedAt = '2026-03-02T00:00:00.000Z';
  book.publish({ ...first, revision, version: revision, publishedAt, rules });
  const decided = [...book.tables.decisions.values()].filter(
    (decision) => decision.outcome === 'attributed' && decision.campaignId === campaignId,
  );
  book.decide(
    ...decided.map((decision) => ({
      ...decision,
      version: decision.version + 1,
      campaignRevision: revision,
    })),
  );
}

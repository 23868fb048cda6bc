import type { FoldedDecision, FoldedReversal } from '@tributary/rewards-fold/folded-decision';

/** Columns of a decision's row; the others are in its `record`. */
export type DecisionColumns = Pick<
  FoldedDecision,
  'decisionId' | 'version' | 'tenantId' | 'businessKey' | 'campaignId' | 'campaignRevision'
>;

/**
 * Column `record`: a list, for names would be a third of it. What is missing is null, or not there
 * at its end. Members are only ever added at the end.
 */
export type DecisionList = [
  eventId: string,
  eventType: FoldedDecision['eventType'],
  outcome: FoldedDecision['outcome'],
  newUserId: string,
  referrerId: string | null,
  ucc: string,
  occurredAt: string,
  occurredAtSeconds: string,
  receivedAt: string,
  ...Optional<
    [
      purchase: NonNullable<FoldedDecision['purchase']>,
      reversals: ReversalList[],
      review: NonNullable<FoldedDecision['review']>,
      reason: NonNullable<FoldedDecision['reason']>,
      duplicateOf: string,
      boundUcc: string,
    ]
  >,
];
type Optional<List extends unknown[]> = { [I in keyof List]?: List[I] | null | undefined };

type ReversalList = [
  eventId: string,
  occurredAtSeconds: string,
  receivedAt: string,
  reversedAmount: number,
  full: boolean,
];

export function decisionToList(decision: FoldedDecision): DecisionList {
  const { eventId, eventType, outcome, newUserId, referrerId, ucc } = decision;
  const { occurredAt, occurredAtSeconds, receivedAt, purchase, reversals } = decision;
  const { review, reason, duplicateOf, boundUcc } = decision;
  const list: DecisionList = [
    ...([eventId, eventType, outcome, newUserId, referrerId ?? null, ucc] as const),
    ...([occurredAt, occurredAtSeconds, receivedAt, purchase] as const),
    ...([reversals?.map(reversalToList), review, reason, duplicateOf, boundUcc] as const),
  ];
  while (list.at(-1) === undefined) list.pop();
  return list;
}

/** A row of an earlier release has the whole decision. */
export function decisionFromList(
  columns: DecisionColumns,
  record: DecisionList | FoldedDecision,
): FoldedDecision {
  if (!Array.isArray(record)) return record;
  const [eventId, eventType, outcome, newUserId, referrerId, ucc, ...rest] = record;
  const [occurredAt, occurredAtSeconds, receivedAt, purchase, reversals, ...last] = rest;
  const [review, reason, duplicateOf, boundUcc] = last;
  return {
    ...columns,
    ...{ eventId, eventType, outcome, newUserId, ucc },
    ...{ occurredAt, occurredAtSeconds, receivedAt },
    ...(referrerId !== null && { referrerId }),
    ...(purchase && { purchase }),
    ...(reversals && { reversals: reversals.map(reversalFromList) }),
    ...(review && { review }),
    ...(reason && { reason }),
    ...(typeof duplicateOf === 'string' && { duplicateOf }),
    ...(typeof boundUcc === 'string' && { boundUcc }),
  };
}

function reversalToList(reversal: FoldedReversal): ReversalList {
  const { eventId, occurredAtSeconds, receivedAt, reversedAmount, full } = reversal;
  return [eventId, occurredAtSeconds, receivedAt, reversedAmount, full];
}

function reversalFromList(list: ReversalList): FoldedReversal {
  const [eventId, occurredAtSeconds, receivedAt, reversedAmount, full] = list;
  return { eventId, occurredAtSeconds, receivedAt, reversedAmount, full };
}

import { decisionCodec, type DecisionRecord } from '@tributary/contracts/decision-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import type { Codec } from '@tributary/contracts/record';
import { rewardCodec, type RewardRecord } from '@tributary/contracts/reward-record';
import type { Topic } from '@tributary/contracts/topics';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { Topics } from '../../test-faults/chain/topics.ts';
import type { Workload } from './workload.ts';

/** What a run came to, as its topics tell it. */
export type Outcome = {
  decided: number;
  attributed: number;
  /** Credits of all rewards. */
  entitled: string;
  /** Whether a reward is issued before its refund comes is a matter of time, also in equal runs. */
  issued: number;
};

/**
 * A run that lost or put aside anything is no measurement: every event has a decision, and there
 * is no dead letter.
 */
export async function readOutcome(topics: Topics, workload: Workload): Promise<Outcome> {
  const letters = topics.nameOf('deadLetters');
  const marks = await readWatermarks(topics.kafka, [letters]);
  const aside = [...marks.values()].reduce((sum, { high, low }) => sum + Number(high - low), 0);
  if (aside > 0) throw new Error(`${aside} records were put aside`);

  const { tenantId } = workload.events[0]!;
  const isOwn = (record: { tenantId: string }) => record.tenantId === tenantId;
  const read = async <T extends { tenantId: string }>(topic: Topic, codec: Codec<T>) =>
    (await topics.read(topic, codec)).filter(isOwn);

  const decisions = newest(await read('attributions', decisionCodec), ({ eventId }) => eventId);
  const events = new Set(workload.events.map(({ eventId }) => eventId));
  const missing = [...events].filter((eventId) => !decisions.has(eventId));
  if (missing.length > 0 || decisions.size !== events.size) {
    throw new Error(`${events.size} events, ${decisions.size} decided, not ${missing[0]}`);
  }
  const outcomes = [...decisions.values()].map(({ outcome }) => outcome);
  const open = outcomes.filter((outcome) => outcome === 'undecided').length;
  if (open > 0) throw new Error(`${open} events are not decided yet`);

  const facts = await read('issuances', issuanceCodec);
  const issued = new Set(facts.flatMap((fact) => (fact.type === 'issued' ? fact.issuanceId : [])));
  return {
    decided: decisions.size,
    attributed: outcomes.filter((outcome) => outcome === 'attributed').length,
    entitled: entitledBy(await read('rewards', rewardCodec)),
    issued: issued.size,
  };
}

/** How many users' events each referrer was given. */
export function decidedBy(records: readonly DecisionRecord[]): string {
  const counts = new Map<string, number>();
  for (const decision of newest(records, ({ eventId }) => eventId).values()) {
    const to = decision.referrerId ?? decision.outcome;
    counts.set(to, (counts.get(to) ?? 0) + 1);
  }
  return JSON.stringify([...counts].sort());
}

/** Exact: credits of the workload have two places. */
export function entitledBy(records: readonly RewardRecord[]): string {
  const rewards = newest(records, ({ rewardId }) => rewardId);
  const cents = [...rewards.values()].reduce(
    (sum, { entitledCredits }) => sum + Math.round(Number(entitledCredits) * 100),
    0,
  );
  return (cents / 100).toFixed(2);
}

/** @throws when runs of the same events differ in what was decided or given. */
export function requireEqual(what: string, outcomes: readonly Outcome[]): void {
  const [first, ...others] = outcomes.map(({ issued: _issued, ...outcome }) =>
    JSON.stringify(outcome),
  );
  const other = others.find((text) => text !== first);
  if (other !== undefined)
    throw new Error(`${what}: one run came to ${first}, another to ${other}`);
}

function newest<T extends { version: number }>(
  records: readonly T[],
  idOf: (record: T) => string,
): Map<string, T> {
  const found = new Map<string, T>();
  for (const record of records) {
    const known = found.get(idOf(record));
    if (!known || known.version < record.version) found.set(idOf(record), record);
  }
  return found;
}

import type { Counts, Report } from '@tributary/contracts/admin/replay-results';
import type { RewardLine } from '@tributary/contracts/state-item';
import { formatCredits, parseCredits } from '@tributary/rewards-fold/credits';
import { type Change, magnitudeOf } from './change.ts';

/**
 * Sums up two states and what differs between them, in any order and without the two side by side:
 * every reward of either side once, and every change once. What is not a change is unchanged.
 */
export type Tally = {
  before(line: RewardLine): void;
  after(line: RewardLine): void;
  change(change: Change): void;
  /** Counts a reward that is no change and enters review. */
  toReview(after: RewardLine): void;
  counts(): Counts;
  credits(): Report['credits'];
  byRule(): Report['byRule'];
  byMonth(): Report['byMonth'];
  /** The largest differences first. */
  byReferrer(most: number): Pick<Report, 'referrers' | 'byReferrer'>;
};

type Sums = { before: bigint; after: bigint; rewardsAfter: number } & Record<
  'new' | 'withdrawn' | 'changed' | 'toReview',
  number
>;

export function createTally(): Tally {
  const all = emptySums();
  const rules = new Map<string, Sums>();
  const months = new Map<string, Sums>();
  const recipients = new Map<string, { before: bigint; after: bigint }>();
  const moved = { new: 0n, withdrawn: 0n, increased: 0n, decreased: 0n };

  /** A reward without credits is none, so it counts nowhere. */
  function add(line: RewardLine, side: 'before' | 'after'): void {
    const credits = parseCredits(line.entitled);
    if (credits === 0n) return;
    for (const sums of sumsOf(line)) {
      sums[side] += credits;
      if (side === 'after') sums.rewardsAfter += 1;
    }
    const key = JSON.stringify([line.tenantId, line.recipientId]);
    const recipient = recipients.get(key) ?? { before: 0n, after: 0n };
    recipient[side] += credits;
    recipients.set(key, recipient);
  }

  function sumsOf(about: {
    campaignId: string;
    ruleId: string;
    recipientRole: string;
    month: string;
  }): Sums[] {
    const { campaignId, ruleId, recipientRole, month } = about;
    const rule = JSON.stringify([campaignId, ruleId, recipientRole]);
    return [all, entryOf(rules, rule), entryOf(months, month)];
  }

  return {
    before: (line) => add(line, 'before'),
    after: (line) => add(line, 'after'),
    change(change) {
      for (const sums of sumsOf(change)) {
        sums[change.kind] += 1;
        if (change.toReview) sums.toReview += 1;
      }
      const size = magnitudeOf(change);
      if (change.kind !== 'changed') moved[change.kind] += size;
      else moved[change.after > change.before ? 'increased' : 'decreased'] += size;
    },
    toReview(after) {
      for (const sums of sumsOf(after)) sums.toReview += 1;
    },
    counts: () => countsOf(all),
    credits: () => ({
      before: formatCredits(all.before),
      after: formatCredits(all.after),
      new: formatCredits(moved.new),
      withdrawn: formatCredits(moved.withdrawn),
      increased: formatCredits(moved.increased),
      decreased: formatCredits(moved.decreased),
    }),
    byRule: () =>
      [...rules].sort(byKey).map(([key, sums]) => {
        const [campaignId = '', ruleId = '', role = ''] = JSON.parse(key) as string[];
        return { campaignId, ruleId, role, counts: countsOf(sums), ...shown(sums) };
      }),
    byMonth: () =>
      [...months].sort(byKey).map(([month, sums]) => {
        return { month, counts: countsOf(sums), ...shown(sums) };
      }),
    byReferrer(most) {
      const differing = [...recipients].filter(([, { before, after }]) => before !== after);
      differing.sort(([a, sumsA], [b, sumsB]) => {
        const difference = magnitudeOf(sumsB) - magnitudeOf(sumsA);
        return difference === 0n ? (a < b ? -1 : 1) : difference > 0n ? 1 : -1;
      });
      const byReferrer = differing.slice(0, most).map(([key, sums]) => {
        const [tenantId = '', recipientId = ''] = JSON.parse(key) as string[];
        return { recipientId, tenantId, ...shown(sums) };
      });
      return { referrers: differing.length, byReferrer };
    },
  };
}

function emptySums(): Sums {
  return {
    ...{ before: 0n, after: 0n, rewardsAfter: 0 },
    ...{ new: 0, withdrawn: 0, changed: 0, toReview: 0 },
  };
}

function entryOf(map: Map<string, Sums>, key: string): Sums {
  let sums = map.get(key);
  if (!sums) map.set(key, (sums = emptySums()));
  return sums;
}

function countsOf(sums: Sums): Counts {
  const { withdrawn, changed, toReview, rewardsAfter } = sums;
  return {
    unchanged: rewardsAfter - sums.new - changed,
    new: sums.new,
    withdrawn,
    changed,
    toReview,
  };
}

function shown({ before, after }: { before: bigint; after: bigint }) {
  return { before: formatCredits(before), after: formatCredits(after) };
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

import type { RewardLine } from '@tributary/contracts/state-item';
import { formatCredits } from '@tributary/rewards-fold/credits';
import { expect } from 'chai';
import fc from 'fast-check';
import { changeOf } from './change.ts';
import { createTally } from './tally.ts';

const line = (
  reported: Partial<RewardLine> & { rewardId: string; entitled: string },
): RewardLine => ({
  kind: 'reward',
  ...{ tenantId: 't1', recipientId: 'anna', campaignId: 'c1', ruleId: 'share' },
  ...{ recipientRole: 'referrer', month: '2026-03', issued: '0', state: 'held', digest: 'x' },
  ...reported,
});

/** A reward of either side or both, with small amounts so that equal ones are often met. */
const pair = fc.record({
  recipientId: fc.constantFrom('anna', 'ben', 'cleo'),
  ruleId: fc.constantFrom('share', 'welcome'),
  month: fc.constantFrom('2026-03', '2026-04'),
  before: fc.option(fc.bigInt(0n, 3n)),
  after: fc.option(fc.bigInt(0n, 3n)),
  review: fc.boolean(),
});

describe('the sums of a report', () => {
  it('add up, by rule and by month, to what the rewards of both sides have', () => {
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const tally = createTally();
        pairs.forEach(({ before, after, review, ...about }, i) => {
          const reported = { ...about, rewardId: `r${i}` };
          const was =
            before === null ? undefined : line({ ...reported, entitled: formatCredits(before) });
          const state = review ? ('review' as const) : ('held' as const);
          const is =
            after === null
              ? undefined
              : line({ ...reported, state, entitled: formatCredits(after) });
          if (was) tally.before(was);
          if (is) tally.after(is);
          const change = (was ?? is) && changeOf(was, is);
          if (change) tally.change(change);
        });

        const amounts = pairs.map(({ before, after }) => [before ?? 0n, after ?? 0n] as const);
        const count = (is: (was: bigint, now: bigint) => boolean) =>
          amounts.filter(([was, now]) => is(was, now)).length;
        const counts = tally.counts();
        expect(counts).to.deep.include({
          unchanged: count((was, now) => was === now && now > 0n),
          new: count((was, now) => was === 0n && now > 0n),
          withdrawn: count((was, now) => was > 0n && now === 0n),
          changed: count((was, now) => was > 0n && now > 0n && was !== now),
        });
        const sum = (side: 0 | 1) => amounts.reduce((all, pairOf) => all + pairOf[side], 0n);
        expect(tally.credits()).to.include({
          before: formatCredits(sum(0)),
          after: formatCredits(sum(1)),
        });
        for (const rows of [tally.byRule(), tally.byMonth()]) {
          for (const kind of ['unchanged', 'new', 'withdrawn', 'changed', 'toReview'] as const) {
            expect(rows.reduce((all, row) => all + row.counts[kind], 0)).to.equal(counts[kind]);
          }
        }
      }),
    );
  });

  it('counts what nothing gives now under the rule that gave it', () => {
    const before = line({ rewardId: 'r1', entitled: '5' });
    const after = line({
      ...{ rewardId: 'r1', entitled: '0', issued: '5', digest: '' },
      ...{ ruleId: '', recipientRole: '', month: '', state: 'reversed' },
    });
    const tally = createTally();
    tally.before(before);
    tally.after(after);
    tally.change(changeOf(before, after)!);
    const [row, ...others] = tally.byRule();
    expect(row).to.deep.include({ ruleId: 'share', before: '5', after: '0' });
    expect(row!.counts.withdrawn).to.equal(1);
    expect(others).to.deep.equal([]);
  });

  it('lists referrers by how much is different for them, and counts all of those', () => {
    const tally = createTally();
    const reported: [string, string, string][] = [
      ['anna', '1', '4'],
      ['ben', '10', '2.5'],
      ['cleo', '3', '3'],
    ];
    for (const [recipientId, before, after] of reported) {
      tally.before(line({ rewardId: recipientId, recipientId, entitled: before }));
      tally.after(line({ rewardId: recipientId, recipientId, entitled: after }));
    }
    expect(tally.byReferrer(1)).to.deep.equal({
      referrers: 2,
      byReferrer: [{ recipientId: 'ben', tenantId: 't1', before: '10', after: '2.5' }],
    });
  });
});

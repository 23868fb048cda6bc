import type { LedgerEntry, LedgerPosting } from '@tributary/rewards-fold/ledger';
import { expect } from 'chai';
import { toPostingRow } from './posting-row.ts';

const bare = { postingId: 'p1', tenantId: 't1', recipientId: 'anna', rewardId: 'r1' };
const cause = { decisionId: 'd1', decisionVersion: 2 };
const promised = (campaignId: string, credits: bigint): LedgerEntry[] => [
  { account: 'entitled', campaignId, credits: -credits },
  { account: 'owed', campaignId, credits },
];
const posting = (entries: LedgerEntry[]): LedgerPosting => ({ ...bare, cause, entries });

describe('the row of a posting', () => {
  it('has each account of its campaign', () => {
    expect(toPostingRow(posting(promised('c1', 2_500_000n)))).to.deep.equal({
      ...{ posting_id: 'p1', tenant_id: 't1', recipient_id: 'anna', reward_id: 'r1' },
      ...{ decision_id: 'd1', decision_version: 2, issuance_id: null },
      ...{ campaign_id: 'c1', entitled: '-2.5', owed: '2.5', issued: null },
      ...{ left_campaign_id: null, left_entitled: null, left_owed: null },
    });
    const issued: LedgerPosting = {
      ...bare,
      cause: { issuanceId: 'i1' },
      entries: [
        { account: 'owed', campaignId: 'c1', credits: -1_000_000n },
        { account: 'issued', campaignId: 'c1', credits: 1_000_000n },
      ],
    };
    expect(toPostingRow(issued)).to.deep.include({
      ...{ decision_id: null, decision_version: null, issuance_id: 'i1' },
      ...{ entitled: null, owed: '-1', issued: '1' },
    });
  });

  it('has the campaign that a reward leaves, too', () => {
    const moved = posting([...promised('zeta', -1_000_000n), ...promised('alpha', 3_000_000n)]);
    expect(toPostingRow(moved)).to.deep.include({
      ...{ campaign_id: 'alpha', entitled: '-3', owed: '3', issued: null },
      ...{ left_campaign_id: 'zeta', left_entitled: '1', left_owed: '-1' },
    });
  });

  it('is refused for more campaigns than a move has', () => {
    const three = ['a', 'b', 'c'].flatMap((campaign) => promised(campaign, 1n));
    expect(() => toPostingRow(posting(three))).to.throw('posting p1 has no row');
  });
});

import { expect } from 'chai';
import { chooseActiveCode, type IssuedCode, isRunning } from './active-code.ts';
import type { CampaignRevisionRecord } from './catalog-record.ts';
import { runningCampaign } from './testing/running-campaign.ts';

const code = (ucc: string, campaignId: string, day = 1): IssuedCode => ({
  ucc,
  campaignId,
  issuedAt: `2026-01-0${day}T00:00:00.000Z`,
});

const campaign = (campaignId: string, status: CampaignRevisionRecord['status']) =>
  runningCampaign('t', campaignId, { status });

/** Campaigns c1 and c2 run, c3 has stopped, others do not exist. */
function inForce(campaignId: string): CampaignRevisionRecord | undefined {
  if (campaignId === 'c3') return campaign(campaignId, 'stopped');
  return ['c1', 'c2'].includes(campaignId) ? campaign(campaignId, 'running') : undefined;
}
const chosen = (codes: IssuedCode[], defaultCampaignId: string | null) =>
  chooseActiveCode(codes, inForce, defaultCampaignId)?.code.ucc;

describe('the active code of a user (4.6)', () => {
  it('is the one in the default campaign, also when another one is newer', () => {
    const choice = chooseActiveCode([code('new', 'c1', 9), code('old', 'c2')], inForce, 'c2');
    expect(choice?.code.ucc).to.equal('old');
    expect(choice?.campaign.campaignId).to.equal('c2');
  });

  it('is the newest in the other running campaigns when the default has none', () => {
    const codes = [code('a', 'c1', 2), code('b', 'c2', 3)];
    for (const given of [codes, [...codes].reverse()]) {
      expect(chosen(given, 'c9')).to.equal('b');
      expect(chosen(given, null)).to.equal('b');
    }
  });

  it('is not in a default campaign that has stopped', () => {
    expect(chosen([code('a', 'c3', 9), code('b', 'c1')], 'c3')).to.equal('b');
  });

  it('is the same of two from one millisecond, in whatever order they are given', () => {
    const codes = [code('b', 'c1'), code('a', 'c2')];
    for (const given of [codes, [...codes].reverse()]) expect(chosen(given, null)).to.equal('a');
  });

  it('does not exist without a code in a running campaign', () => {
    expect(chosen([], 'c1')).to.equal(undefined);
    expect(chosen([code('a', 'c3'), code('b', 'unknown')], 'c3')).to.equal(undefined);
  });
});

describe('a campaign', () => {
  it('runs while its revision in force says so', () => {
    expect([inForce('c1'), inForce('c3'), undefined].map(isRunning)).to.eql([true, false, false]);
  });
});

import { expect } from 'chai';
import { runningCampaign } from '@tributary/contracts/testing/running-campaign';
import { chooseInvite, type OwnedCode } from './choose-invite.ts';

const code = (ucc: string, campaignId: string, about: Partial<OwnedCode> = {}): OwnedCode => ({
  ucc,
  status: 'issued',
  campaignId,
  productUserId: 'u',
  issuedAt: '2026-01-01T00:00:00.000Z',
  // It was not changed since, unless a test says so.
  changedAt: about.issuedAt ?? '2026-01-01T00:00:00.000Z',
  ...about,
});

/** c1 and c2 run, c3 has stopped, others do not exist. */
function inForce(campaignId: string) {
  if (campaignId === 'c3') return runningCampaign('t', campaignId, { status: 'stopped' });
  return ['c1', 'c2'].includes(campaignId) ? runningCampaign('t', campaignId) : undefined;
}

function chosen(codes: OwnedCode[], defaultCampaignId: string | null) {
  const choice = chooseInvite(codes, inForce, defaultCampaignId);
  if (choice.outcome === 'none') return 'none';
  const { campaignId } = choice.campaign;
  return choice.outcome === 'has' ? choice.ucc : `derive in ${campaignId}`;
}

describe('what a user invites with', () => {
  it('is their code in the default campaign, else the newest in another that runs', () => {
    const older = code('older', 'c1');
    const newer = code('newer', 'c2', { issuedAt: '2026-02-01T00:00:00.000Z' });
    expect(chosen([newer, older], 'c1')).to.equal('older');
    expect(chosen([older, newer], null)).to.equal('newer');
    expect(chosen([older, newer], 'c3')).to.equal('newer');
  });

  it('is the one that was enabled last, where an older one was enabled again', () => {
    const replaced = code('replaced', 'c1', { changedAt: '2026-03-01T00:00:00.000Z' });
    const replacement = code('replacement', 'c1', { issuedAt: '2026-02-01T00:00:00.000Z' });
    expect(chosen([replacement, replaced], 'c1')).to.equal('replaced');
    const disabled = { ...replaced, status: 'disabled' as const };
    expect(chosen([replacement, disabled], 'c1')).to.equal('replacement');
  });

  it('is the newest of several in the default campaign, in whatever order they come', () => {
    const codes = [code('a', 'c1'), code('b', 'c1', { issuedAt: '2026-02-01T00:00:00.000Z' })];
    expect(chosen(codes, 'c1')).to.equal('b');
    expect(chosen(codes.toReversed(), 'c1')).to.equal('b');
  });

  it('is to be derived for who has none that could be shared', () => {
    expect(chosen([], 'c1')).to.equal('derive in c1');
    expect(chosen([code('a', 'c3')], 'c1')).to.equal('derive in c1');
    expect(chosen([code('a', 'c1', { status: 'disabled' })], 'c1')).to.equal('derive in c1');
  });

  it('is none for a new code where the default campaign does not run', () => {
    for (const campaignId of ['c3', 'unknown', null]) {
      expect(chosen([], campaignId), String(campaignId)).to.equal('none');
    }
  });
});

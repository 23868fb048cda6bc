import type { NameShown } from '@tributary/contracts/widget-settings';
import { defaultWidgetSettings } from '@tributary/contracts/widget-settings';
import { expect } from 'chai';
import { runningCampaign } from '@tributary/contracts/testing/running-campaign';
import { sessionOf, type ReferralSummary } from './session-of.ts';

const at = '2026-03-01T12:00:00.000Z';
const summary: ReferralSummary = {
  credits: { earned: '7', held: '2.5', toOffset: '3', issued: '10' },
  referrals: {
    total: 1,
    byState: { 'signed-up': 1, 'demo-attended': 0, purchased: 0, refunded: 0 },
    latest: [
      { name: 'Bob Bobson', firstName: null, lastName: 'Bobson', state: 'signed-up', at },
      { name: null, firstName: null, lastName: null, state: 'signed-up', at },
    ],
  },
};

function sessionWith(referredUserName: NameShown, more: Record<string, unknown> = {}) {
  const latest = summary.referrals.latest.map((known) => ({ ...known, ...more }));
  return sessionOf({
    productUserId: 'ada',
    productId: 'p 1',
    invite: { ucc: 'x/y', campaign: runningCampaign('t', 'c1') },
    summary: { ...summary, referrals: { ...summary.referrals, latest } },
    settings: { ...defaultWidgetSettings, referredUserName },
  });
}

describe('what a user is answered', () => {
  it('is their own link and summary', () => {
    const session = sessionWith('first-name');
    expect(session.invite).to.eql({
      ucc: 'x/y',
      link: 'https://c1.example/join?productId=p%201&ucc=x%2Fy',
      campaignId: 'c1',
    });
    expect(session.credits).to.eql(summary.credits);
    expect(session.referrals.byState).to.eql(summary.referrals.byState);
  });

  it('names those they referred as the tenant has set', () => {
    const named = (shown: NameShown) => sessionWith(shown).referrals.latest.map(({ name }) => name);
    expect(named('first-name')).to.eql(['Bob', null]);
    expect(named('initial')).to.eql(['B.', null]);
    expect(named('none')).to.eql([null, null]);
  });

  it('has nothing else of what is known of them', () => {
    const session = sessionWith('first-name', { userId: 'bob-1', email: 'bob@acme.example' });
    for (const referral of session.referrals.latest) {
      expect(referral).to.have.all.keys('name', 'state', 'at');
    }
  });
});

import { expect } from 'chai';
import { type CampaignDraft, type CampaignRevision, nextRevision } from './campaign-draft.ts';

const now = '2026-03-01T12:00:00.000Z';
const rule = {
  ruleId: 'r1',
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: { kind: 'fixed', credits: '10' },
} as const;
const draft: CampaignDraft = {
  name: 'Spring',
  status: 'running',
  landingUrl: 'https://example.com/',
  creditScale: 0,
  rules: [rule],
  effectiveFrom: undefined,
};
const newest: CampaignRevision = {
  ...draft,
  campaignId: 'c1',
  revision: 4,
  effectiveFrom: '2026-02-01T00:00:00.000Z',
};

describe('nextRevision', () => {
  it('starts at revision 1, which holds from always when nothing is said (decision 4)', () => {
    const next = nextRevision(draft, undefined, 'c1', now);
    expect(next).to.deep.include({ outcome: 'new' });
    expect(next).to.have.nested.include({
      'revision.revision': 1,
      'revision.effectiveFrom': '0000-01-01T00:00:00.000Z',
    });
  });

  it('lets a later revision hold from now when nothing is said', () => {
    const next = nextRevision({ ...draft, name: 'Summer' }, newest, 'c1', now);
    expect(next).to.have.nested.include({ 'revision.revision': 5, 'revision.effectiveFrom': now });
  });

  it('answers the newest revision for the same content', () => {
    expect(nextRevision(draft, newest, 'c1', now)).to.deep.equal({
      outcome: 'same',
      revision: newest,
    });
  });

  it('sees the same content whatever the order of its members', () => {
    const { effect, recipient, trigger, ruleId } = rule;
    const turned = { ...draft, rules: [{ effect, recipient, trigger, ruleId }] };
    expect(nextRevision(turned, newest, 'c1', now).outcome).to.equal('same');
  });

  it('sees the same content when a default is written out', () => {
    const whole = {
      ...draft,
      referralLoops: 'reject',
      existingUsers: 'include',
      ruleMatching: 'all',
      rules: [{ ...rule, holdDays: 0, refundPolicy: 'proportional', conditions: {}, limits: {} }],
    } as const;
    expect(nextRevision({ ...whole, rules: [...whole.rules] }, newest, 'c1', now).outcome).to.equal(
      'same',
    );
  });

  it('answers the newest revision for the same effectiveFrom, although it has passed', () => {
    const again = { ...draft, effectiveFrom: newest.effectiveFrom };
    expect(nextRevision(again, newest, 'c1', now).outcome).to.equal('same');
  });

  it('makes the next revision of any change', () => {
    for (const change of [
      { name: 'Summer' },
      { status: 'stopped' as const },
      { landingUrl: 'https://example.com/other' },
      { creditScale: 2 },
      { rules: [] },
      { rules: [{ ...rule, effect: { kind: 'fixed' as const, credits: '11' } }] },
      { rules: [{ ...rule, holdDays: 1 }] },
      { rules: [{ ...rule, refundPolicy: 'keep' as const }] },
      { rules: [{ ...rule, conditions: { minimumSeats: 2 } }] },
      { rules: [{ ...rule, limits: { firstPurchases: 1 } }] },
      { attributionWindowDays: 90 },
      { referralLoops: 'allow' as const },
      { existingUsers: 'exclude' as const },
      { ruleMatching: 'first' as const },
      { newUserDiscountBasisPoints: 1000 },
      { newUserDiscountBasisPoints: 1000, newUserDiscountMonth: 3 },
    ]) {
      const next = nextRevision({ ...draft, ...change }, newest, 'c1', now);
      expect(next).to.have.nested.include({ outcome: 'new', 'revision.revision': 5 });
    }
  });

  it('makes the next revision when the newest does not hold yet and the draft means now', () => {
    const planned = { ...newest, effectiveFrom: '2026-04-01T00:00:00.000Z' };
    expect(nextRevision(draft, planned, 'c1', now).outcome).to.equal('new');
  });

  it('refuses an effectiveFrom before now (design 7: only a replay may back-date)', () => {
    const late = { ...draft, name: 'Summer', effectiveFrom: '2026-03-01T11:59:59.999Z' };
    expect(nextRevision(late, newest, 'c1', now)).to.deep.equal({ outcome: 'back-dated' });
    expect(nextRevision(late, undefined, 'c1', now)).to.deep.equal({ outcome: 'back-dated' });
  });
});

import { expect } from 'chai';
import { answerWaiting, createPageFunction, waitingCalls } from './page-function.ts';
import type { Referral } from './referral.ts';

describe('the function on the page', () => {
  const asked: string[] = [];
  const referral: Referral = {
    current: () => ({ ucc: 'Ada1' }),
    config: async () => ({ campaignConfig: { campaignId: 'c' }, referrerName: 'Ada' }),
    requireConsent: () => void asked.push('require'),
    grantConsent: () => void asked.push('grant'),
    revokeConsent: () => void asked.push('revoke'),
  };
  const call = createPageFunction(referral);
  beforeEach(() => (asked.length = 0));

  it('answers by the name of the method', async () => {
    expect(await call('getUcc')).to.equal('Ada1');
    expect(await call('getReferrerName')).to.equal('Ada');
    expect(await call('getCampaignConfig')).to.deep.equal({ campaignId: 'c' });
  });

  it('gives an empty configuration, and no name, when the service tells nothing', async () => {
    const unknown = createPageFunction({ ...referral, config: async () => ({}) });
    expect(await unknown('getReferrerName')).to.equal(undefined);
    expect(await unknown('getCampaignConfig')).to.deep.equal({});
  });

  it('gives each caller a configuration of their own', async () => {
    Object.assign((await call('getCampaignConfig')) as object, { campaignId: 'changed' });
    expect(await call('getCampaignConfig')).to.deep.equal({ campaignId: 'c' });
  });

  for (const method of ['getUCC', '', 'constructor', '__proto__', undefined, 5]) {
    it(`refuses the method ${String(method)}, and names those that there are`, async () => {
      const error = await call(method as string).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(TypeError);
      const names =
        'getUcc, getReferrerName, getCampaignConfig, requireConsent, grantConsent, revokeConsent';
      expect((error as Error).message)
        .to.contain(String(method))
        .and.contain(names);
    });
  }

  it('answers what waited for it, in order, each by its own promise', async () => {
    const reported: unknown[] = [];
    await new Promise<void>((done) => {
      answerWaiting(call, [
        ['requireConsent'],
        ['getUcc', [], (ucc) => reported.push(ucc)],
        ['grantConsent', []],
        ['nothing', [], undefined, (error) => reported.push((error as Error).name)],
        ['getReferrerName', [], (name) => void (reported.push(name), done())],
      ]);
    });
    expect(asked).to.deep.equal(['require', 'grant']);
    expect(reported).to.deep.equal(['Ada1', 'TypeError', 'Ada']);
  });

  it('answers a call by a stub that the page has kept', async () => {
    const ucc = await new Promise((resolve) => call.q?.push(['getUcc', [], resolve]));
    expect(ucc).to.equal('Ada1');
  });

  it('finds nothing waiting in whatever else a page has by that name', () => {
    for (const other of [undefined, null, 'x', {}, { q: 'x' }, { q: [1, null, 'getUcc'] }]) {
      expect(waitingCalls(other)).to.deep.equal([]);
    }
  });
});

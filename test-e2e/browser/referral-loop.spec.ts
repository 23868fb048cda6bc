import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { attributionStub, attributionTag, html } from './host-html.ts';
import { useSetting } from './setting.ts';
import { useVisitors } from './visitor.ts';
import { launcherOf, linkShown, panelOf } from './widget-parts.ts';

/**
 * The whole loop as people live it: no step is taken but in a browser or by the customer's backend.
 */
describe('from an invite link to a reward that the widget shows', function () {
  this.timeout(120_000);
  const setting = useSetting();
  const visitor = useVisitors();
  const soon = { timeout: patiently(30_000) };

  it('the code of the link reaches the purchase, and its reward the referrer', async () => {
    const { site, assetsUrl, customer } = setting;
    const { client } = customer;
    site.page('/join', {
      html: html({ head: attributionTag(assetsUrl), scripts: [attributionStub] }),
    });

    // Bea, who has no code yet, is shown hers by the widget.
    const bea = await visitor();
    const details = { firstName: 'Bea', lastName: 'Quillfeather', email: 'bea@customer.example' };
    const boot = { token: customer.tokenOf('bea'), productUserDetails: details };
    await bea.page.goto(setting.widgetPage({ user: 'bea', boot }));
    expect(await bea.run('hostBoot')).to.equal('booted');
    const { ucc, link } = await bea.run<{ ucc: string; link: string }>('hostApi.getLink()');
    expect(link).to.contain(`ucc=${ucc}`);
    expect(ucc).to.not.equal(customer.referrer.ucc);
    await launcherOf(bea.page).click();
    await panelOf(bea.page).getByText('Your first referral will show up here').waitFor();
    expect(await linkShown(bea.page)).to.equal(link);

    // Carl follows it. The names of people, and the code, take a moment to be known.
    const carl = await visitor();
    const invited = await eventually(
      async () => {
        await carl.page.goto(link);
        const given = await carl.run(
          `Promise.all(['getUcc', 'getReferrerName', 'getCampaignConfig'].map((m) => TributaryAttribution(m)))`,
        );
        expect(given).to.deep.equal([ucc, 'Bea', campaignConfig]);
        return given as [string, string, object];
      },
      { deadlineMs: 30_000 },
    );
    // He looks around and signs up on another page, where the address says nothing of the code.
    await carl.page.goto(
      site.page('/sign-up', {
        html: html({ head: attributionTag(assetsUrl), scripts: [attributionStub] }),
      }),
    );
    const atSignup = await carl.run<string>(`TributaryAttribution('getUcc')`);
    expect(atSignup).to.equal(invited[0]);

    // The customer's backend reports it with the code, then the purchase.
    const newUser = { id: 'carl', name: 'Carl Dunst', email: 'carl@customer.example' };
    const occurredAt = new Date().toISOString();
    await client.signupCreated({ ucc: atSignup, occurredAt, newUser });
    const referrals = panelOf(bea.page);
    await referrals.getByText('Signed up').first().waitFor(soon);
    await referrals.getByText('Carl', { exact: true }).waitFor(soon);
    await client.purchaseCreated({
      ...{ ucc: atSignup, occurredAt: new Date().toISOString(), newUser, currency: 'EUR' },
      ...{ invoiceId: randomUUID(), amount: 4_900, subscription: { interval: 'monthly' } },
    });

    // Bea's panel, still open, shows it by itself: 5 for the signup, 20 for the purchase.
    await referrals.getByText('Purchased').first().waitFor(soon);
    await referrals.getByText('25', { exact: true }).first().waitFor(soon);
    expect(await referrals.textContent())
      .to.not.contain('Dunst')
      .and.not.contain('carl@');
    expect([...bea.complaints(), ...carl.complaints()]).to.deep.equal([]);
  });

  const campaignConfig = {
    campaignId: 'friends',
    newUserDiscountMonth: 3,
    newUserDiscountPercentage: 0.1,
  };
});

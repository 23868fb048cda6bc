import type { Page } from 'playwright-core';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedDemo } from '../shared-stack.ts';
import { useVisitors } from './visitor.ts';
import { launcherOf, linkShown, panelOf } from './widget-parts.ts';

/** What a visitor of `npm start` does in a minute, on pages with a strict policy. */
describe('the demo shop in a browser (issue 9, item 5)', function () {
  this.timeout(180_000);
  const visitor = useVisitors();
  let demo: Demo;
  before(async () => {
    demo = await sharedDemo();
  });

  it('leads from the widget to a friend who buys, and back to the reward in the widget', async () => {
    const ada = await visitor();
    await ada.page.goto(demo.shopUrl);
    // The shop's other address: there one browser can be somebody else.
    const signIn = ada.page.getByRole('link', { name: 'Sign in as Ada' });
    await ada.page.goto((await signIn.getAttribute('href'))!);
    await ada.page.getByRole('button', { name: 'Ada Marsh' }).click();
    await ada.page.waitForURL('**/account');
    await ada.page.getByText(/You get 20.?% of the price/).waitFor();
    await launcherOf(ada.page).first().click();
    const link = await linkShown(ada.page);
    const before = await creditsShown(ada.page);
    expect(new URL(link).origin).to.equal(demo.shopUrl);

    const friend = await visitor();
    await eventually(
      async () => {
        await friend.page.goto(link);
        const invitation = friend.page.locator('#invitation');
        await invitation.waitFor();
        expect(await invitation.textContent()).to.equal('Ada invited you. 10 % off for 3 months.');
      },
      { deadlineMs: 30_000 },
    );
    await signUp(friend.page, 'Gwen Anchor');
    await friend.page.getByRole('button', { name: 'Buy Night Ferry' }).click();
    await friend.page.waitForURL('**said=bought');
    await untilAdaSees('Purchased', { earned: cents(before.earned + 5 + 2.16), toOffset: 0 });

    // Step 4: a refund takes the credits for the tea back, which were paid out already.
    await friend.page.goto(`${demo.shopUrl}/account`);
    await friend.page.getByRole('button', { name: 'Refund' }).click();
    await friend.page.waitForURL('**said=refunded');
    await untilAdaSees('Refunded', { earned: cents(before.earned + 5), toOffset: 2.16 });
    await panelOf(ada.page).getByText('They come off your next credits.').waitFor();

    async function untilAdaSees(state: string, credits: object): Promise<void> {
      await eventually(
        async () => {
          await ada.page.reload();
          await launcherOf(ada.page).first().click();
          const gwen = panelOf(ada.page).getByRole('listitem').filter({ hasText: 'Gwen' });
          expect(await gwen.first().textContent(shortly)).to.include(state);
          expect(await creditsShown(ada.page)).to.deep.equal(credits);
        },
        { deadlineMs: 60_000 },
      );
    }
    expect(friend.complaints()).to.deep.equal([]);
    expect(ada.complaints()).to.deep.equal([]);
  });

  it('shows the widget to the friend too, who can invite in turn', async () => {
    const friend = await visitor();
    await friend.page.goto(`${demo.shopUrl}/join`);
    await signUp(friend.page, 'Hugo Mast');
    await friend.page.goto(`${demo.shopUrl}/account`);
    await launcherOf(friend.page).first().click();
    expect(await linkShown(friend.page)).to.match(/[?&]ucc=\w+/);
    expect(friend.complaints()).to.deep.equal([]);
  });

  /** As they are read in the panel: what is not shown is 0. */
  async function creditsShown(page: Page): Promise<{ earned: number; toOffset: number }> {
    const rewards = panelOf(page).getByRole('region', { name: 'Your rewards' });
    const [, ...shown] = (await rewards.innerText(shortly)).split(/\n+/);
    const after = (label: string) => Number(shown[shown.indexOf(label) + 1] ?? NaN);
    const toOffset = shown.includes('Credits to be offset') ? after('Credits to be offset') : 0;
    return { earned: after('Credits earned'), toOffset };
  }

  async function signUp(page: Page, name: string): Promise<void> {
    await page.getByLabel('Name').fill(name);
    const [first] = name.toLowerCase().split(' ');
    await page.getByLabel('E-mail').fill(`${first}@harbour-tea.example`);
    await page.getByRole('button', { name: 'Create my account' }).click();
    await page.waitForURL('**/teas?said=welcome');
  }
});

/** What is not there by then is looked for on the page loaded anew. */
const shortly = { timeout: patiently(2_000) };

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

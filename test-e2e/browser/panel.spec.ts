import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { axeFindings } from './axe.ts';
import { desktop, phone, usePanel } from './opened-panel.ts';
import {
  busySession,
  newSession,
  pausedSession,
  refundedSession,
  unauthorizedProblem,
} from './widget-scenes.ts';

describe('the panel', function () {
  this.timeout(60_000);
  const panel = usePanel();
  const link = busySession.invite.link;
  const huge = '999999999999999999.999999';
  const counter = '<button onclick="this.textContent = `clicked`">Host</button>';

  beforeEach(() => panel.answer(200, busySession));

  it('leaves the page beside it usable on a wide screen', async () => {
    const { page, dialog } = await panel.open({ body: counter });
    await page.getByRole('button', { name: 'Host' }).click({ timeout: patiently(5_000) });
    await page.getByRole('button', { name: 'clicked' }).waitFor();
    expect(await dialog.isVisible()).to.equal(true);
  });

  it('is modal on a phone: the page behind is out of reach, and a tap on it closes the panel', async () => {
    const { page, dialog, ofDialog } = await panel.open({ options: phone, body: counter });
    expect(await ofDialog(`dialog.matches(':modal')`)).to.equal(true);
    const { y } = (await dialog.boundingBox())!;
    expect(y).to.be.greaterThan(40);
    await page.touchscreen.tap(20, 20);
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Host' }).isVisible()).to.equal(true);
    expect(await page.getByText('clicked').count()).to.equal(0);
  });

  it('closes with Escape, of which a dialog of the page does not learn', async () => {
    const { page, dialog, run } = await panel.open({
      before: `window.heard = []; addEventListener('keydown', ({ key }) => heard.push(key));`,
    });
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await run('window.heard')).to.deep.equal(['a']);
  });

  it('says in words how far each referred user has come, and shows all when asked', async () => {
    const { dialog } = await panel.open();
    const people = dialog.getByRole('region', { name: 'Your referrals' }).getByRole('listitem');
    const before = await people.count();
    expect(await people.filter({ hasText: 'Grace' }).innerText()).to.match(/2026\s+Purchased/);
    expect(await people.filter({ hasText: 'Radia' }).count()).to.equal(0);
    const more = dialog.getByRole('button', { name: 'Show all 9' });
    expect(await more.getAttribute('aria-expanded')).to.equal('false');
    await more.click();
    expect(await people.count()).to.equal(before + 5);
    await dialog.getByRole('button', { name: 'Show fewer' }).waitFor();
  });

  it('shares the whole link, and gives the network no hold of the page', async () => {
    const { dialog } = await panel.open();
    for (const name of [/^WhatsApp/, /^X/, /^LinkedIn/]) {
      const way = dialog.getByRole('link', { name });
      expect(decodeURIComponent((await way.getAttribute('href'))!)).to.contain(link);
      expect(await way.getAttribute('target')).to.equal('_blank');
      expect(await way.getAttribute('rel')).to.equal('noopener noreferrer');
    }
    const mail = await dialog.getByRole('link', { name: 'Email' }).getAttribute('href');
    expect(decodeURIComponent(mail!))
      .to.match(/^mailto:\?subject=.+you save 10%/)
      .and.contain(link);
  });

  it("offers the device's own way where there is one", async () => {
    const { dialog, run } = await panel.open({
      before: `navigator.share = async (what) => void (window.shared = what);`,
    });
    await dialog.getByRole('button', { name: 'More' }).click();
    expect(await run('window.shared.url')).to.equal(link);
  });

  it('shows the code to scan when asked, dark on white in the dark too', async () => {
    const { dialog, ofDialog } = await panel.open({
      options: { ...desktop, colorScheme: 'dark' },
    });
    const code = dialog.getByRole('img', { name: 'QR code of your personal link' });
    expect(await code.count()).to.equal(0);
    await dialog.getByRole('button', { name: 'QR code' }).click();
    await code.waitFor();
    const fills = `[...dialog.querySelector('[role=img]').children]
      .map((part) => getComputedStyle(part).fill)`;
    expect(await ofDialog(fills)).to.deep.equal(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
  });

  it('says what was earned, what is on hold, and what a refund leaves to be offset', async () => {
    panel.answer(200, refundedSession);
    const { page, dialog } = await panel.open();
    const credits = dialog.getByRole('region', { name: 'Your rewards' });
    await credits.getByText('Credits to be offset', { exact: true }).waitFor();
    expect((await credits.innerText()).split(/\n+/)).to.deep.equal([
      'Your rewards',
      ...['Credits earned', '5', 'Credits on hold', '12.5', 'Credits to be offset', '2.52'],
      'Credits on hold are yours as soon as they are confirmed.',
      'Credits to be offset were granted and then taken back, after a refund for example. They come off your next credits.',
    ]);
    expect(await axeFindings(page)).to.deep.equal([]);
  });

  it('says nothing of offsetting to whom nothing was taken back', async () => {
    const { dialog } = await panel.open();
    await dialog.getByText('148.2').waitFor();
    expect(await dialog.getByText('offset').count()).to.equal(0);
  });

  it('shows what an older service tells, as during a deployment', async () => {
    panel.answer(200, { ...busySession, credits: { held: '12.5', issued: '148.2' } });
    const { dialog } = await panel.open();
    await dialog.getByText('148.2').waitFor();
    expect(await dialog.textContent()).to.not.contain('NaN');
  });

  it('tells of credits that come in while it is open, and keeps what was unfolded', async () => {
    const { page, dialog, run } = await panel.open();
    await dialog.getByRole('button', { name: 'Show all 9' }).click();
    panel.answer(200, {
      ...busySession,
      credits: { ...busySession.credits, held: '0', earned: '160.7' },
    });
    await run(askForNews);
    await page
      .getByRole('status')
      .filter({ hasText: 'Credits earned: 160.7.' })
      .waitFor({ state: 'attached' });
    expect(await dialog.getByRole('button', { name: 'Show fewer' }).isVisible()).to.equal(true);
  });

  it('shows what was last known when the service is gone, and says so', async () => {
    const { page, dialog, run } = await panel.open();
    panel.answer(503, {});
    await run(askForNews);
    await dialog.getByText('No connection. This is what we last knew.').waitFor();
    expect(await dialog.getByText('148.2').isVisible()).to.equal(true);
    expect(await axeFindings(page)).to.deep.equal([]);
    panel.answer(200, {
      ...busySession,
      credits: { ...busySession.credits, held: '0', earned: '160.7' },
    });
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('160.7', { exact: true }).waitFor();
    await page.keyboard.press('Escape'); // the pressed button is gone, the focus is still inside
    await dialog.waitFor({ state: 'detached' });
  });

  it('without a campaign still shows what was earned', async () => {
    panel.answer(200, pausedSession);
    const { page, dialog } = await panel.open();
    await dialog.getByText('No invitations right now').waitFor();
    await dialog.getByText('148.2').waitFor();
    expect(await dialog.getByRole('textbox').count()).to.equal(0);
    expect(await axeFindings(page)).to.deep.equal([]);
  });

  it('encourages who has referred nobody yet', async () => {
    panel.answer(200, newSession);
    const { dialog } = await panel.open();
    await dialog.getByText('Your first referral will show up here').waitFor();
  });

  it('says that a user is not authorized', async () => {
    panel.answer(401, unauthorizedProblem);
    const { page, dialog } = await panel.open();
    await dialog.getByText('This user is not authorized to load the referral widget.').waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
  });

  it('offers to try again when the service does not answer, and then shows what it has', async () => {
    panel.answer(503, {});
    const { page, dialog } = await panel.open();
    const again = dialog.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    panel.answer(200, busySession);
    await again.click();
    await dialog.getByText('148.2').waitFor();
  });

  it('writes texts of a tenant and names of people as texts, whatever is in them', async () => {
    const markup = '<img src=x onerror="window.broken = true">';
    const [first, ...others] = busySession.referrals.latest;
    panel.answer(200, {
      ...busySession,
      texts: { en: { 'panel.title': markup } },
      referrals: { ...busySession.referrals, latest: [{ ...first!, name: markup }, ...others] },
    });
    const { dialog, run } = await panel.open();
    expect(await dialog.getByText(markup).count()).to.be.greaterThan(1);
    expect(await run('window.broken')).to.equal(undefined);
  });

  for (const [what, width] of [
    ['the smallest phone', 320],
    ['a phone that shows all twice as large', 195],
  ] as const) {
    it(`holds the longest words within ${what}`, async () => {
      const [first, ...others] = busySession.referrals.latest;
      panel.answer(200, {
        ...busySession,
        credits: { earned: huge, held: huge, toOffset: huge, issued: huge },
        referrals: {
          ...busySession.referrals,
          latest: [{ ...first!, name: 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3) }, ...others],
        },
      });
      const { dialog, ofDialog } = await panel.open({
        options: { ...phone, viewport: { width, height: 568 } },
        boot: { language: 'de' },
      });
      await dialog.getByText('Wolfeschlegel').first().waitFor();
      const tooWide = `[dialog, ...dialog.querySelectorAll('.body')]
      .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.className)`;
      expect(await ofDialog(tooWide)).to.deep.equal([]);
    });
  }

  it('moves nothing for who wants no motion', async () => {
    const { ofDialog } = await panel.open({ options: { ...desktop, reducedMotion: 'reduce' } });
    expect(await ofDialog('getComputedStyle(dialog).animationName')).to.equal('none');
  });

  it('leaves nothing behind when it is closed', async () => {
    const { dialog, run } = await panel.open();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    const left = `(() => {
      const roots = [document.querySelector('tributary-widget').shadowRoot];
      for (const root of roots) {
        roots.push(...[...root.querySelectorAll('*')].flatMap((one) => one.shadowRoot ?? []));
      }
      return roots.slice(1).map((root) => [root.childNodes.length, root.adoptedStyleSheets.length]);
    })()`;
    expect(await run(left)).to.deep.equal([[0, 0]]);
  });
});

/** As when the visitor comes back to the tab: the open panel asks at once, not only every 15 s. */
const askForNews = `document.dispatchEvent(new Event('visibilitychange')), undefined`;

import { expect } from 'chai';
import { createBrowser } from './testing/visitor-browser.ts';

const daySeconds = 86_400;

describe('the referral of a visitor', () => {
  it('is stored at once, for 90 days, and then for the window of the campaign', async () => {
    const browser = createBrowser();
    browser.link = { ucc: 'a', productId: 'p' };
    browser.answer = { campaignConfig: { campaignId: 'c' }, windowDays: 30 };
    const referral = browser.open();
    referral.current();
    expect(browser.cookie).to.include({ ucc: 'a', productId: 'p', capturedMs: 1_000 });
    expect(browser.cookie?.maxAgeSeconds).to.equal(90 * daySeconds);
    browser.nowMs += 10_000;
    await referral.config();
    expect(browser.cookie).to.include({ campaignId: 'c', capturedMs: 1_000 });
    expect(browser.cookie?.maxAgeSeconds).to.equal(30 * daySeconds - 10); // from the capture on
    expect(browser.asked).to.have.length(1);
  });

  it('is still there on a later page without a link, which asks only when it is asked', async () => {
    const browser = createBrowser();
    browser.link = { ucc: 'a' };
    browser.open().current();
    browser.asked = [];
    browser.link = undefined;
    const later = browser.open();
    expect(later.current()?.ucc).to.equal('a');
    expect(browser.asked).to.deep.equal([]);
    browser.answer = { referrerName: 'Ada' };
    expect(await later.config()).to.deep.equal({ referrerName: 'Ada' });
  });

  it('ends with the window that the campaign has by now', async () => {
    const browser = createBrowser();
    browser.link = { ucc: 'a' };
    browser.open().current();
    browser.link = undefined;
    browser.nowMs += 8 * daySeconds * 1_000;
    browser.answer = { windowDays: 7 };
    const later = browser.open();
    await later.config();
    expect(browser.cookie).to.equal(undefined);
    expect(later.current()).to.equal(undefined);
  });

  it('is of the last link followed, in this page or in another tab', () => {
    const browser = createBrowser();
    browser.link = { ucc: 'a' };
    const first = browser.open();
    first.current();
    browser.nowMs += 1;
    browser.link = { ucc: 'b' };
    expect(first.current()?.ucc).to.equal('b');
    browser.nowMs += 1;
    browser.link = { ucc: 'c' };
    browser.open().current();
    browser.link = { ucc: 'b' }; // the first tab's address
    expect(first.current()?.ucc).to.equal('c');
  });

  it('stays when the site moves on to an address without a link, and back', () => {
    const browser = createBrowser();
    browser.link = { ucc: 'a' };
    const referral = browser.open();
    referral.current();
    for (const link of [undefined, { ucc: 'a' }]) {
      browser.link = link;
      browser.nowMs += 5;
      expect(referral.current()?.ucc).to.equal('a');
    }
    expect(browser.cookie?.capturedMs).to.equal(1_000);
  });

  it('keeps the product of the link when a link within the site names the code alone', () => {
    const browser = createBrowser();
    browser.link = { ucc: 'a', productId: 'p' };
    browser.open().current();
    browser.link = { ucc: 'a' };
    expect(browser.open().current()?.productId).to.equal('p');
    browser.link = { ucc: 'b' };
    expect(browser.open().current()?.productId).to.equal(undefined);
  });

  it('is gone when the site has removed the cookie', () => {
    const browser = createBrowser();
    browser.link = { ucc: 'a' };
    const referral = browser.open();
    referral.current();
    browser.cookie = undefined;
    expect(referral.current()).to.equal(undefined);
  });

  it('is known to the page where the browser keeps no cookies', async () => {
    const browser = createBrowser();
    browser.cookiesWork = false;
    browser.link = { ucc: 'a' };
    browser.answer = { referrerName: 'Ada', windowDays: 30 };
    const referral = browser.open();
    expect(referral.current()?.ucc).to.equal('a');
    expect((await referral.config()).referrerName).to.equal('Ada');
    browser.link = undefined;
    expect(referral.current()?.ucc).to.equal('a');
  });

  it('is the new one also when the browser keeps only an older cookie', () => {
    const browser = createBrowser();
    browser.cookie = { ucc: 'old', capturedMs: 5, maxAgeSeconds: 9 };
    browser.cookiesWork = false;
    browser.link = { ucc: 'new' };
    const referral = browser.open();
    referral.current();
    expect(referral.current()?.ucc).to.equal('new');
  });

  it('is asked about again after no answer, and after one that does not know the code', async () => {
    const browser = createBrowser();
    browser.link = { ucc: 'a' };
    const referral = browser.open();
    expect(await referral.config()).to.deep.equal({});
    browser.answer = {};
    expect(await referral.config()).to.deep.equal({});
    browser.answer = { campaignConfig: {} };
    expect(await referral.config()).to.deep.equal({ campaignConfig: {} });
    const times = browser.asked.length;
    await referral.config();
    expect(browser.asked).to.have.length(times);
  });

  it('does not take the answer for one link as of another', async () => {
    const browser = createBrowser();
    browser.link = { ucc: 'a' };
    browser.answer = { campaignConfig: { campaignId: 'of-a' }, windowDays: 7 };
    const referral = browser.open();
    const asked = referral.config();
    browser.answer = undefined;
    browser.link = { ucc: 'b' };
    referral.current();
    await asked;
    expect(browser.cookie).to.include({ ucc: 'b', maxAgeSeconds: 90 * daySeconds });
    expect(browser.cookie?.campaignId).to.equal(undefined);
  });
});

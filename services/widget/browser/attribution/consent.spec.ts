import { expect } from 'chai';
import { consentOf } from './referral.ts';
import { createBrowser } from './testing/visitor-browser.ts';

const daySeconds = 86_400;

describe('the referral of a visitor whose consent is needed', () => {
  describe('before and after the answer', () => {
    it('touches no cookie and asks for nothing, but knows the link of the page', () => {
      const browser = createBrowser();
      browser.cookie = { ucc: 'old', capturedMs: 5, maxAgeSeconds: 9 };
      const silent = browser.open('required');
      expect(silent.current()).to.equal(undefined);
      browser.link = { ucc: 'a' };
      expect(silent.current()?.ucc).to.equal('a');
      expect(browser).to.include({ touched: 0 });
      expect(browser.asked).to.deep.equal([]);
    });

    it('stores the click at the consent, with the time of the click', () => {
      const browser = createBrowser();
      browser.cookie = { ucc: 'old', capturedMs: 5, maxAgeSeconds: 9 };
      browser.link = { ucc: 'a' };
      const referral = browser.open('required');
      referral.current();
      browser.nowMs += 5_000;
      browser.link = undefined;
      referral.grantConsent();
      expect(browser.cookie).to.include({ ucc: 'a', capturedMs: 1_000 });
      expect(browser.cookie.maxAgeSeconds).to.equal(90 * daySeconds - 5);
      expect(browser.asked).to.deep.equal([{ ucc: 'a', productId: undefined }]);
    });

    it('reads at the consent what an earlier page stored', () => {
      const browser = createBrowser();
      browser.cookie = { ucc: 'old', capturedMs: 5, maxAgeSeconds: 9 };
      const referral = browser.open('required');
      referral.current();
      referral.grantConsent();
      expect(referral.current()?.ucc).to.equal('old');
    });

    it('too late, takes back what this page stored, and leaves what an earlier one did', () => {
      const browser = createBrowser();
      browser.link = { ucc: 'a' };
      const late = browser.open();
      late.current();
      late.requireConsent();
      expect(browser.cookie).to.equal(undefined);
      expect(late.current()?.ucc).to.equal('a');

      const earlier = { ucc: 'old', capturedMs: 5, maxAgeSeconds: 9 };
      browser.cookie = earlier;
      browser.link = undefined;
      const other = browser.open();
      other.current();
      other.requireConsent();
      expect(browser.cookie).to.equal(earlier);
      expect(other.current()).to.equal(undefined);
    });

    it('does not ask again once the visitor has answered', () => {
      const browser = createBrowser();
      browser.link = { ucc: 'a' };
      const referral = browser.open('required');
      referral.grantConsent();
      referral.requireConsent();
      expect(browser.cookie?.ucc).to.equal('a');
    });

    it('forgets at the withdrawal, and follows the page again at a new consent', () => {
      const browser = createBrowser();
      browser.link = { ucc: 'a' };
      const referral = browser.open('granted');
      referral.current();
      referral.revokeConsent();
      expect(browser.cookie).to.equal(undefined);
      expect(referral.current()).to.equal(undefined);
      referral.grantConsent();
      expect(browser.cookie).to.include({ ucc: 'a' });
    });
  });

  describe('with calls that waited for the script', () => {
    for (const [methods, consent] of [
      [[], 'unasked'],
      [['getUcc'], 'unasked'],
      [['requireConsent', 'getUcc'], 'required'],
      [['getUcc', 'requireConsent', 'grantConsent'], 'granted'],
      [['grantConsent', 'requireConsent'], 'granted'],
      [['requireConsent', 'grantConsent', 'revokeConsent'], 'revoked'],
      [['revokeConsent', 'grantConsent'], 'granted'],
    ] as const) {
      it(`has consent '${consent}' after ${methods.join(', ') || 'none'}`, () => {
        expect(consentOf([...methods])).to.equal(consent);
      });
    }
  });
});

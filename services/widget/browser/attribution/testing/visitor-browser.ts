import type { CampaignConfigAnswer } from '@tributary/contracts/public/campaign-config';
import type { KeptClick } from '../../shared/click-cookie.ts';
import type { Link } from '../link-of-page.ts';
import { type Consent, createReferral } from '../referral.ts';

/** A visitor's browser: its address bar, its one cookie, a clock, and what the service answers. */
export function createBrowser() {
  const browser = {
    link: undefined as Link | undefined,
    cookie: undefined as (KeptClick & { maxAgeSeconds: number }) | undefined,
    cookiesWork: true,
    /** How often the cookie was looked at, written or removed. */
    touched: 0,
    nowMs: 1_000,
    answer: undefined as CampaignConfigAnswer | undefined,
    asked: [] as Link[],
    open(consent: Consent = 'unasked') {
      return createReferral(
        {
          store: {
            read() {
              browser.touched += 1;
              if (browser.cookie === undefined) return undefined;
              const { maxAgeSeconds: _, ...click } = browser.cookie;
              return click;
            },
            write(click, maxAgeSeconds) {
              browser.touched += 1;
              if (!browser.cookiesWork) return false;
              browser.cookie = maxAgeSeconds > 0 ? { ...click, maxAgeSeconds } : undefined;
              return maxAgeSeconds > 0;
            },
            remove() {
              browser.touched += 1;
              browser.cookie = undefined;
            },
          },
          linkOfPage: () => browser.link,
          async ask(link) {
            browser.asked.push({ ucc: link.ucc, productId: link.productId });
            return browser.answer;
          },
          nowMs: () => browser.nowMs,
        },
        consent,
      );
    },
  };
  return browser;
}

import type { CampaignConfigAnswer } from '@tributary/contracts/public/campaign-config';
import type { KeptClick } from '../shared/click-cookie.ts';
import type { ClickStore } from './cookie-store.ts';
import { type Link, sameLink } from './link-of-page.ts';

/** How long the cookie lives until the campaign's own window is known. */
const usualWindowDays = 90;

export type Outside = {
  store: ClickStore;
  /** The link that the page was opened by, or has in its address now. */
  linkOfPage(): Link | undefined;
  /** Undefined when there is no answer now. */
  ask(link: Link): Promise<CampaignConfigAnswer | undefined>;
  nowMs(): number;
};

/** By whom this visitor came. */
export type Referral = {
  /** Looks at the page's address again, and says which link counts now. */
  current(): Link | undefined;
  /** What the service tells of that link; `{}` when there is none, or no answer. */
  config(): Promise<CampaignConfigAnswer>;
  /** Without effect once the visitor has answered. */
  requireConsent(): void;
  grantConsent(): void;
  revokeConsent(): void;
};

/** What the page has said of consent; `unasked`: it asks for none. */
export type Consent = 'unasked' | 'required' | 'granted' | 'revoked';

/**
 * The click is in one of two places. `stored`: the cookie holds it, and is read each time, so that
 * a later click in another tab counts, and a cookie that the site removed is gone. Else in memory,
 * for this page: until there is consent, and where the browser keeps no cookie. Without consent the
 * cookie is neither written nor read, and the service is asked only when the page asks.
 */
export function createReferral(outside: Outside, initial: Consent): Referral {
  const { store, linkOfPage, ask, nowMs } = outside;
  let consent = initial;
  let click: KeptClick | undefined;
  let stored = false;
  let isOfThisPage = false;
  /** The page's link when it was last looked at: the same one again is no other click. */
  let seen: Link | undefined;
  const answers = new Map<string, Promise<CampaignConfigAnswer | undefined>>();

  const mayStore = (): boolean => consent === 'unasked' || consent === 'granted';

  const save = (windowDays: number): void => {
    if (!click || !mayStore()) return;
    const endMs = click.capturedMs + windowDays * 86_400_000;
    const leftSeconds = Math.max(0, Math.ceil((endMs - nowMs()) / 1_000));
    stored = store.write(click, leftSeconds) || stored;
  };

  const readStored = (): void => {
    if (!mayStore()) return;
    const kept = store.read();
    if (!stored && click && !(kept && kept.capturedMs >= click.capturedMs)) return;
    if (kept?.capturedMs !== click?.capturedMs) isOfThisPage = false;
    click = kept;
    stored = !!kept;
  };

  const keep = (): void => {
    save(usualWindowDays);
    if (click && mayStore()) void askFor(click);
  };

  const look = (): void => {
    readStored();
    const link = linkOfPage();
    if (!link || sameLink(link, seen)) return;
    seen = link;
    // A link within the site may name the code alone.
    const productId = link.productId ?? (click?.ucc === link.ucc ? click.productId : undefined);
    click = { ucc: link.ucc, productId, capturedMs: nowMs() };
    stored = false;
    isOfThisPage = true;
    keep();
  };

  const askFor = async (link: Link): Promise<CampaignConfigAnswer | undefined> => {
    const key = JSON.stringify([link.ucc, link.productId]);
    const asked = answers.get(key) ?? ask(link);
    answers.set(key, asked);
    const answer = await asked;
    // A code may be a second old and not yet known everywhere: the next call asks again.
    if (!answer?.campaignConfig) answers.delete(key);
    if (answer) take(link, answer);
    return answer;
  };

  const take = (link: Link, { campaignConfig, windowDays }: CampaignConfigAnswer): void => {
    readStored();
    if (!click || !windowDays || !sameLink(link, click)) return;
    click = { ...click, campaignId: campaignConfig?.campaignId };
    save(windowDays);
  };

  return {
    current() {
      look();
      return click;
    },
    async config() {
      look();
      return (click && (await askFor(click))) ?? {};
    },
    requireConsent() {
      if (consent !== 'unasked') return;
      consent = 'required';
      // What an earlier page stored is not for this one to remove: it may have had consent.
      if (!isOfThisPage) click = undefined;
      else if (stored) store.remove();
      stored = false;
    },
    grantConsent() {
      consent = 'granted';
      if (!click) seen = undefined;
      look();
      if (!stored) keep();
    },
    revokeConsent() {
      store.remove();
      consent = 'revoked';
      stored = false;
      click = undefined;
    },
  };
}

/**
 * What calls that waited for the script have said of consent: the last answer, else the question.
 */
export function consentOf(methods: unknown[]): Consent {
  if (methods.includes('grantConsent') || methods.includes('revokeConsent')) {
    const isGranted = methods.lastIndexOf('grantConsent') > methods.lastIndexOf('revokeConsent');
    return isGranted ? 'granted' : 'revoked';
  }
  return methods.includes('requireConsent') ? 'required' : 'unasked';
}

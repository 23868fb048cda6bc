import { askConfig } from './ask-config.ts';
import { createCookieStore } from './cookie-store.ts';
import { createPageLink } from './link-of-page.ts';
import {
  answerWaiting,
  createPageFunction,
  type PageFunction,
  waitingCalls,
} from './page-function.ts';
import { servePageParts } from './page-parts.ts';
import { consentOf, createReferral } from './referral.ts';

// The attribution script (interface 4.7). Stores the click before anything else happens: the page
// may be on its way to another one already.

declare global {
  interface Window {
    TributaryAttribution?: PageFunction;
  }
  interface Document {
    /** Known to browsers that load a page before its link is followed. */
    prerendering?: boolean;
  }
}

function start(): void {
  const stub = window.TributaryAttribution;
  if (stub?.loaded) return;
  const waiting = waitingCalls(stub);
  const referral = createReferral(
    {
      store: createCookieStore(),
      linkOfPage: createPageLink(),
      ask: (link) => askConfig(link, import.meta.url),
      nowMs: Date.now,
    },
    consentOf(waiting.map(([method]) => method)),
  );
  const look = (): unknown => referral.current();
  look();
  const call = createPageFunction(referral);
  window.TributaryAttribution = call;
  answerWaiting(call, waiting);

  addEventListener('popstate', look);
  // A page may have a variable of that name, which takes the place of the browser's.
  window.navigation?.addEventListener?.('currententrychange', look);
  servePageParts(referral.current);
}

// A page that is only loaded ahead has not been visited, and may never be.
if (document.prerendering) document.addEventListener('prerenderingchange', start, { once: true });
else start();

import { escaped, type Html, html, nothing } from '../html.ts';
import type { Customer } from '../shop-store.ts';

export type Page = {
  title: string;
  customer: Customer | undefined;
  /** Scripts of this page, in order. */
  scripts: Html;
  main: Html;
};

/**
 * Interface 4.7 rule 2, as the documentation has it; the attribution script is on every public
 * page, so that a link with a code may lead to any of them.
 */
export function attributionTag(assetsUrl: string): Html {
  const src = escaped(`${assetsUrl}/attribution/latest/tributary-attribution.js`);
  return { html: `<script type="module" async src="${src}"></script>` };
}

export function widgetTag(assetsUrl: string): Html {
  const src = escaped(`${assetsUrl}/app/latest/tributary-widget.js`);
  return { html: `<script type="module" async crossOrigin="anonymous" src="${src}"></script>` };
}

export function layout({ title, customer, scripts, main }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Harbour Tea</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/shop.css" />
        ${scripts}
      </head>
      <body>
        <header class="site">
          <a class="brand" href="/"
            ><img src="/icon.svg" alt="" width="28" height="28" />Harbour Tea</a
          >
          <nav aria-label="Shop">
            <a href="/teas">Teas</a>
            ${customer === undefined ? signedOut : signedIn(customer)}
          </nav>
        </header>
        <main>${main}</main>
        <footer class="site">
          A demonstration of Tributary. No tea is shipped and no money moves.
        </footer>
      </body>
    </html>`.html;
}

const signedOut = html`<a href="/sign-in">Sign in</a>`;

function signedIn({ name }: Customer): Html {
  return html`<a href="/account">${name}</a>
    <form method="post" action="/sign-out"><button class="link">Sign out</button></form>`;
}

/** `role` makes a screen reader say it. */
export function notice(text: string | undefined): Html {
  return text === undefined ? nothing : html`<p class="notice" role="status">${text}</p>`;
}

import { type Html, html } from '../html.ts';
import type { Customer } from '../shop-store.ts';
import { attributionTag, layout } from './layout.ts';
import { teaTin } from './teas-page.ts';
import { teas } from '../teas.ts';

/** What a visitor of the demonstration is to do, and where. */
export function homePage(options: {
  customer: Customer | undefined;
  assetsUrl: string;
  /** The shop by another name of this machine, where a browser is somebody else. */
  otherHostUrl: string;
}): string {
  const { customer, assetsUrl, otherHostUrl } = options;
  return layout({
    title: 'Loose leaf from the quay',
    customer,
    scripts: attributionTag(assetsUrl),
    main: html`
      <section class="hero">
        <div>
          <h1>Loose leaf, straight off the quay</h1>
          <p>Three blends, packed by hand on Mondays and at your door by Thursday.</p>
          <p><a class="button" href="/teas">See the teas</a></p>
        </div>
        <div class="tins" aria-hidden="true">${teas.map(teaTin)}</div>
      </section>
      ${steps(otherHostUrl)}
    `,
  });
}

function steps(otherHostUrl: string): Html {
  return html`<section class="tour">
    <h2>A referral in a minute</h2>
    <p>
      This page and <a href="${otherHostUrl}/">${otherHostUrl}</a> are the same shop. A browser
      keeps its cookies apart for the two, so you can be Ada on the one and her friend on the other.
    </p>
    <ol>
      <li>
        <h3>Be Ada</h3>
        <p>
          <a href="${otherHostUrl}/sign-in" target="_blank" rel="noopener">Sign in as Ada</a> in
          another tab. Her account has the referral widget: copy her invite link there.
        </p>
      </li>
      <li>
        <h3>Be her friend</h3>
        <p>
          Paste the link into a tab of its own. It leads back to this address, where the attribution
          script notes the code. Sign up.
        </p>
      </li>
      <li>
        <h3>Buy some tea</h3>
        <p>The shop's server reports the sign-up and the purchase, with the code.</p>
      </li>
      <li>
        <h3>See Ada rewarded</h3>
        <p>
          Open the widget in her tab again. A refund, from your account, takes the credits for the
          tea back: they are no longer earned, and come off the next ones.
        </p>
      </li>
    </ol>
  </section>`;
}

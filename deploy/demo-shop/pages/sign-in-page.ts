import { type Html, html } from '../html.ts';
import type { Customer } from '../shop-store.ts';
import { attributionTag, layout } from './layout.ts';

/** A demonstration has no passwords: whoever comes chooses who they are. */
export function signInPage(options: {
  customer: Customer | undefined;
  customers: readonly Customer[];
  assetsUrl: string;
}): string {
  const { customer, customers, assetsUrl } = options;
  return layout({
    title: 'Sign in',
    customer,
    scripts: attributionTag(assetsUrl),
    main: html`
      <section class="card narrow">
        <h1>Who are you today?</h1>
        <form method="post" action="/sign-in">${customers.map(choice)}</form>
        <p class="small">Not one of these people? <a href="/join">Sign up</a></p>
      </section>
    `,
  });
}

function choice({ id, name, email }: Customer): Html {
  return html`<button class="choice" name="customer" value="${id}">
    <strong>${name}</strong> <span>${email}</span>
  </button>`;
}

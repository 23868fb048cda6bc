import { html } from '../html.ts';
import type { Customer } from '../shop-store.ts';
import { attributionTag, layout, notice } from './layout.ts';

/** Where invite links lead. `join.js` fills in who invited, and what a friend saves. */
export function joinPage(options: {
  customer: Customer | undefined;
  assetsUrl: string;
  notice?: string | undefined;
}): string {
  const { customer, assetsUrl } = options;
  return layout({
    title: 'Join',
    customer,
    scripts: html`<script src="/join.js" defer></script>
      ${attributionTag(assetsUrl)}`,
    main: html`
      <div class="join">
        <section>
          <h1>Tea worth getting up for</h1>
          <p class="invitation" id="invitation" role="status" hidden></p>
          <ul class="ticks">
            <li>Fresh lots every month</li>
            <li>Packed on Mondays, delivered by Thursday</li>
            <li>Cancel whenever you like</li>
          </ul>
        </section>
        <section class="card">
          <h2>Sign up</h2>
          ${notice(options.notice)}
          <form method="post" action="/sign-up" data-tributary-ucc>
            <label>
              Name
              <input name="name" autocomplete="name" required maxlength="255" />
            </label>
            <label>
              E-mail
              <input name="email" type="email" autocomplete="email" required maxlength="320" />
            </label>
            <button class="button">Create my account</button>
          </form>
          <p class="small">Been here before? <a href="/sign-in">Sign in</a></p>
        </section>
      </div>
    `,
  });
}

import { type Html, html, nothing } from '../html.ts';
import type { Customer } from '../shop-store.ts';
import { euro, type Tea, teas } from '../teas.ts';
import { attributionTag, layout, notice } from './layout.ts';

export function teasPage(options: {
  customer: Customer | undefined;
  assetsUrl: string;
  priceFor: (tea: Tea) => number;
  notice?: string | undefined;
}): string {
  const { customer, assetsUrl, priceFor } = options;
  return layout({
    title: 'Teas',
    customer,
    scripts: attributionTag(assetsUrl),
    main: html`
      <h1>Teas</h1>
      ${notice(options.notice)}
      <ul class="cards">
        ${teas.map((tea) => card(tea, priceFor(tea), customer))}
      </ul>
    `,
  });
}

function card(tea: Tea, price: number, customer: Customer | undefined): Html {
  const isReduced = price < tea.price;
  return html`<li class="card">
    ${teaTin(tea)}
    <h2>${tea.name}</h2>
    <p>${tea.about}</p>
    <p class="price">
      ${isReduced ? html`<s>${euro(tea.price)}</s> ` : nothing}<strong>${euro(price)}</strong>
      <span>100 g</span>
    </p>
    ${customer === undefined ? signInFirst : buyForm(tea)}
  </li>`;
}

const signInFirst = html`<a class="button quiet" href="/join">Sign up to buy</a>`;

function buyForm({ id, name }: Tea): Html {
  return html`<form method="post" action="/orders">
    <input type="hidden" name="tea" value="${id}" />
    <button class="button">Buy <span class="hidden">${name}</span></button>
  </form>`;
}

/** A tin with its label, drawn. */
export function teaTin({ tin, name }: Tea): Html {
  const initial = name.slice(0, 1);
  return html`<svg class="tin" viewBox="0 0 120 150" width="120" height="150" aria-hidden="true">
    <ellipse cx="60" cy="140" rx="46" ry="7" fill="#000" opacity=".12" />
    <rect x="18" y="30" width="84" height="108" rx="8" fill="${tin}" />
    <rect x="18" y="30" width="18" height="108" rx="8" fill="#fff" opacity=".12" />
    <rect x="24" y="12" width="72" height="22" rx="6" fill="${tin}" />
    <rect x="24" y="12" width="72" height="22" rx="6" fill="#000" opacity=".22" />
    <rect x="32" y="58" width="56" height="54" rx="4" fill="#f7f1e3" />
    <text
      x="60"
      y="96"
      text-anchor="middle"
      font-family="Georgia, serif"
      font-size="34"
      fill="${tin}"
    >
      ${initial}
    </text>
  </svg>`;
}

import { dataBlock, type Html, html } from '../html.ts';
import type { Customer, Order } from '../shop-store.ts';
import { euro, teas } from '../teas.ts';
import { layout, notice, widgetTag } from './layout.ts';

/** What `account.js` boots the widget with (interface 4.7 rule 3). */
export type WidgetBoot = {
  token: string;
  productUserDetails: Partial<Record<'firstName' | 'lastName' | 'fullName' | 'email', string>>;
};

export function accountPage(options: {
  customer: Customer;
  orders: readonly Order[];
  assetsUrl: string;
  boot: WidgetBoot;
  notice?: string | undefined;
}): string {
  const { customer, orders, assetsUrl, boot } = options;
  return layout({
    title: 'Account',
    customer,
    scripts: html`${dataBlock('widget-boot', boot)}
      <script src="/account.js" defer></script>
      ${widgetTag(assetsUrl)}`,
    main: html`
      <h1>Hello, ${customer.name}</h1>
      ${notice(options.notice)}
      <section class="card invite">
        <div>
          <h2>Tea is better with friends</h2>
          <p id="invite-words">Invite a friend: you both get something out of it.</p>
        </div>
        <tributary-launcher>Invite friends</tributary-launcher>
      </section>
      <section>
        <h2>Orders</h2>
        ${
          orders.length === 0
            ? html`<p>None so far. <a href="/teas">See the teas</a></p>`
            : orderTable(orders)
        }
      </section>
    `,
  });
}

function orderTable(orders: readonly Order[]): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Tea</th>
        <th scope="col">Day</th>
        <th scope="col">Paid</th>
        <th scope="col"><span class="hidden">What can be done</span></th>
      </tr>
    </thead>
    <tbody>
      ${orders.map(orderRow)}
    </tbody>
  </table>`;
}

function orderRow({ id, teaId, at, amount, refunded }: Order): Html {
  const name = teas.find((tea) => tea.id === teaId)?.name ?? teaId;
  return html`<tr>
    <td>${name}</td>
    <td><time datetime="${at}">${at.slice(0, 10)}</time></td>
    <td>${euro(amount)}</td>
    <td>
      ${
        refunded
          ? html`<span class="small">Refunded</span>`
          : html`<form method="post" action="/refunds">
              <button class="link" name="order" value="${id}">Refund</button>
            </form>`
      }
    </td>
  </tr>`;
}

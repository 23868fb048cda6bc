import { accountPage } from './pages/account-page.ts';
import { homePage } from './pages/home.ts';
import { joinPage } from './pages/join-page.ts';
import { signInPage } from './pages/sign-in-page.ts';
import { teasPage } from './pages/teas-page.ts';
import { priceFor } from './prices.ts';
import { type Answer, redirect } from './shop-http.ts';
import type { ShopSettings } from './shop.ts';
import type { Customer, ShopStore } from './shop-store.ts';
import { signWidgetToken } from './sign-widget-token.ts';

/** What is said after a form, by the `said` of the address; no other text comes from there. */
const notices: Record<string, string> = {
  welcome: 'Welcome aboard! Your account is ready.',
  bought: 'Thank you! Your tea is as good as on its way.',
  refunded: 'Your refund is on its way.',
  incomplete: 'A name and an e-mail address are needed.',
};

export type Visit = { customer: Customer | undefined; query: URLSearchParams };

/** The pages of the shop by path. */
export function createShopPages(deps: ShopSettings & { store: ShopStore }) {
  const { store, assetsUrl, productId, productSecret } = deps;

  function at(path: string, { customer, query }: Visit): Answer | undefined {
    const notice = notices[query.get('said') ?? ''];
    const page = { customer, assetsUrl, notice };
    const now = new Date();
    switch (path) {
      case '/':
        return ok(homePage({ ...page, otherHostUrl: otherHost(deps.shopUrl) }));
      case '/teas':
        return ok(teasPage({ ...page, priceFor: (tea) => priceFor(tea, customer, now) }));
      case '/join':
        return ok(joinPage(page));
      case '/sign-in':
        return ok(signInPage({ ...page, customers: store.customers() }));
      case '/account':
        if (customer === undefined) return redirect('/sign-in');
        return ok(accountPage({ ...account(customer, now), assetsUrl, notice }));
      default:
        return undefined;
    }
  }

  function account(customer: Customer, now: Date) {
    const productUserId = customer.id;
    const token = signWidgetToken({ productId, productSecret, productUserId, now });
    const boot = { token, productUserDetails: detailsOf(customer) };
    return { customer, orders: store.ordersOf(customer.id), boot };
  }

  return { at };
}

function ok(html: string): Answer {
  return { status: 200, html };
}

function detailsOf({ name, email }: Customer) {
  const [firstName = '', ...rest] = name.split(' ');
  return { firstName, lastName: rest.join(' '), fullName: name, email };
}

/** `localhost` and `127.0.0.1` are the same machine, with cookies of their own. */
function otherHost(shopUrl: string): string {
  const url = new URL(shopUrl);
  url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return url.origin;
}

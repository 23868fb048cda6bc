import type { IncomingMessage } from 'node:http';
import type { TributaryClient } from '../../packages/client/src/client.ts';
import { priceFor } from './prices.ts';
import { isReferred, purchaseReport, refundReport, signupReport } from './report.ts';
import type { Sessions } from './sessions.ts';
import { type Answer, redirect } from './shop-http.ts';
import type { Customer, ShopStore } from './shop-store.ts';
import { teas } from './teas.ts';

export type Submission = {
  customer: Customer | undefined;
  form: URLSearchParams;
  req: IncomingMessage;
};

/**
 * What customers do: forms by path. Each change is kept with its report, then the reporter is
 * woken.
 */
export function createShopDesk(deps: {
  client: TributaryClient;
  store: ShopStore;
  sessions: Sessions;
  reporter: { wake(): void };
}) {
  const { client, store, sessions, reporter } = deps;

  async function at(path: string, { customer, form }: Submission): Promise<Answer | undefined> {
    switch (path) {
      case '/sign-up':
        return signUp(form);
      case '/sign-in':
        return signIn(form);
      case '/sign-out':
        return redirect('/', sessions.closed);
      case '/orders':
        return customer === undefined ? redirect('/join') : buy(customer, form);
      case '/refunds':
        return customer === undefined ? redirect('/sign-in') : refund(customer, form);
      default:
        return undefined;
    }
  }

  async function signUp(form: URLSearchParams): Promise<Answer> {
    const [name = '', email = ''] = ['name', 'email'].map((field) => form.get(field)?.trim());
    if (name === '' || !/^[^@\s]+@[^@\s]+$/.test(email)) return redirect('/join?said=incomplete');
    const known = store.customerByEmail(email);
    // They have been a customer all along: no sign-up, and no referral.
    if (known !== undefined) return redirect('/account', sessions.open(known.id));
    const ucc = await validCode(form.get('ucc') ?? '');
    const since = new Date().toISOString();
    const added = store.addCustomer({ name, email, ucc, since }, (customer) =>
      isReferred(customer) ? signupReport(customer) : undefined,
    );
    reporter.wake();
    return redirect('/teas?said=welcome', sessions.open(added.id));
  }

  /** The code that came with the form, unless the service says that it is none (interface 4.5). */
  async function validCode(ucc: string): Promise<string | undefined> {
    if (ucc === '') return undefined;
    try {
      const found = await client.lookup(ucc, { deadlineMs: 3_000 });
      return found?.valid ? ucc : undefined;
    } catch {
      // Not to be asked now: a friend is not sent away for that, and what is reported is validated
      // again.
      return ucc;
    }
  }

  function signIn(form: URLSearchParams): Answer {
    const customer = store.customer(form.get('customer') ?? '');
    return customer === undefined
      ? redirect('/sign-in')
      : redirect('/account', sessions.open(customer.id));
  }

  function buy(customer: Customer, form: URLSearchParams): Answer {
    const tea = teas.find(({ id }) => id === form.get('tea'));
    if (tea === undefined) return redirect('/teas');
    const now = new Date();
    const amount = priceFor(tea, customer, now);
    const order = { customerId: customer.id, teaId: tea.id, amount, at: now.toISOString() };
    store.addOrder(order, (added) =>
      isReferred(customer) ? purchaseReport(customer, added) : undefined,
    );
    reporter.wake();
    return redirect('/teas?said=bought');
  }

  function refund(customer: Customer, form: URLSearchParams): Answer {
    const order = store.order(form.get('order') ?? '');
    if (order?.customerId !== customer.id || order.refunded) return redirect('/account');
    store.refundOrder(order, (refunded) =>
      isReferred(customer) ? refundReport(customer, refunded, new Date()) : undefined,
    );
    reporter.wake();
    return redirect('/account?said=refunded');
  }

  return { at };
}

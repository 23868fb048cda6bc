import { stripeShapes } from '@tributary/testkit/stripe/api-version';
import { expect } from 'chai';
import type { ListKind } from '../../stripe/api.ts';
import { type FoldedAccount, startFoldedAccount } from '../../testing/folded-account.ts';
import { StripeRefuses } from './ask-stripe.ts';
import { mostExtrasAsked } from './find-extras.ts';
import { createReconcilePage, type Reconciled } from './reconcile-page.ts';
import { firstPlace, placeOf } from './walk.ts';

for (const shape of stripeShapes) {
  describe(`reconciliation, ${shape} shape of the API`, function () {
    this.timeout(60_000);
    let world: FoldedAccount;
    const daySeconds = 86_400;
    const present = Math.floor(Date.parse('2026-11-01T12:00:00Z') / 1_000);
    const since = present - 30 * daySeconds;

    beforeEach(async () => {
      world = await startFoldedAccount({ shape });
      world.setNow(new Date(present * 1_000));
      world.stripe.account.setNow(present - 10 * daySeconds);
    });
    afterEach(() => world.stop());

    /** All pages of the three kinds, or of one. */
    async function reconcile({ append = false, kind }: { append?: boolean; kind?: ListKind } = {}) {
      const { pool: db, api: stripe, appender, connection, asked: account } = world;
      const page = createReconcilePage({
        ...{ db, stripe, appender, processorTopic: 'processor', now: () => world.now() },
      });
      const pages: Reconciled[] = [];
      for (const each of kind ? [kind] : (['invoices', 'sessions', 'refunds'] as const)) {
        const walk = { kind: each, since, lookBackDays: 60 };
        for (let place = firstPlace; ;) {
          const reached = await page({ connection, account, append }, walk, place);
          pages.push(reached);
          if (reached.nextCursor === null) break;
          place = placeOf(reached.nextCursor)!;
        }
      }
      if (append) await world.settle();
      const findings = pages.flatMap((one) => one.findings);
      const sum = (name: 'scanned' | 'appended') =>
        pages.reduce((total, one) => total + one[name], 0);
      return { findings, appended: sum('appended'), scanned: sum('scanned'), pages: pages.length };
    }

    function referred() {
      return world.stripe.account.customer({ ucc: 'UCC1', newUserId: 'bob' });
    }

    function invoice(customerId = referred().id, amount = 4_900, more: object = {}) {
      const { account } = world.stripe;
      const price = account.price({
        ...{ currency: 'eur', unitAmount: amount, interval: { unit: 'month', count: 1 } },
      });
      const { subscription } = account.subscription({ customerId, priceId: price.id });
      return account.paidInvoice({
        ...{ customerId, currency: 'eur', subscriptionId: subscription.id },
        lines: [{ amount }],
        ...more,
      });
    }

    function checkout(customerId = referred().id) {
      const { account } = world.stripe;
      const price = account.price({ currency: 'eur', unitAmount: 700 });
      const lines = [{ amount: 700, priceId: price.id }];
      return account.checkout({ customerId, currency: 'eur', lines });
    }

    /** A payment of each kind, and a part of each given back. */
    function payAll() {
      const paid = invoice();
      const bought = checkout();
      const { account } = world.stripe;
      const refunds = [paid.charges[0]!, bought.charge!].map(({ id }) =>
        account.refund({ chargeId: id, amount: 100 }),
      );
      return {
        ...{ paid, bought, refunds },
        events: [paid.event, bought.event, ...refunds.map(({ event }) => event)],
      };
    }

    it('finds nothing where everything was reported', async () => {
      const { events } = payAll();
      await world.report(...events);
      expect(await world.facts()).to.have.length(4);
      const { findings, scanned } = await reconcile();
      expect(findings).to.deep.equal([]);
      expect(scanned).to.equal(4);
    });

    it('names what was never told, and appends it once: the facts are those of the events', async () => {
      const { paid, bought, refunds, events } = payAll();
      const before = await reconcile();
      const one = { finding: 'missing', currency: 'EUR' };
      const made = new Date((present - 10 * daySeconds) * 1_000);
      const occurredAt = made.toISOString().replace('.000Z', 'Z');
      expect(before.findings).to.have.deep.members([
        { ...one, type: 'invoice', objectId: paid.invoice.id, amount: 4_900, occurredAt },
        { ...one, type: 'checkout-session', objectId: bought.session.id, amount: 700, occurredAt },
        ...refunds.map(({ refund }) => ({
          ...{ ...one, type: 'refund', objectId: refund.id, amount: 100, occurredAt },
        })),
      ]);
      expect(before.appended).to.equal(0);

      const first = await reconcile({ append: true });
      expect(first.appended).to.equal(4);
      expect(first.findings.every(({ appended }) => appended === true)).to.equal(true);
      const appended = await world.facts();
      expect(appended).to.have.length(4);
      const second = await reconcile({ append: true });
      expect([second.findings, second.appended]).to.deep.equal([[], 0]);

      // The events come after all.
      await world.report(...events);
      expect(await world.facts()).to.deep.equal(appended);
      expect((await reconcile()).findings).to.deep.equal([]);
    });

    it('says why there is no fact, and appends nothing that is known', async () => {
      const { account } = world.stripe;
      const unreferred = invoice(account.customer().id);
      await world.report(unreferred.event);
      const { findings, appended } = await reconcile({ append: true });
      expect(appended).to.equal(0);
      expect(findings).to.have.length(1);
      expect(findings[0]).to.include({
        ...{ finding: 'missing', state: 'unmatched', reason: 'no-metadata' },
        objectId: unreferred.invoice.id,
      });
      expect(findings[0])
        .to.have.property('itemId')
        .that.matches(/^[0-9a-f-]{36}$/);
    });

    it('appends a refund that came after those that were reported', async () => {
      const paid = invoice();
      const { account } = world.stripe;
      const chargeId = paid.charges[0]!.id;
      const reported = account.refund({ chargeId, amount: 100 });
      await world.report(paid.event, reported.event);
      const lost = account.refund({ chargeId, amount: 250 });
      const { findings } = await reconcile({ append: true });
      expect(findings.map(({ objectId }) => objectId)).to.deep.equal([lost.refund.id]);
      const facts = await world.facts();
      const amounts = facts.flatMap((fact) =>
        fact.eventType === 'purchase-refunded' ? [fact.refund.amount] : [],
      );
      expect(amounts).to.have.members([100, 250]);
      expect((await reconcile()).findings).to.deep.equal([]);
    });

    it('names in what a fact differs, and leaves it as it is', async () => {
      const paid = invoice();
      await world.report(paid.event);
      const before = await world.facts();
      world.stripe.account.invoice(paid.invoice.id).amountPaid = 4_000;
      const { findings, appended } = await reconcile({ append: true });
      expect(appended).to.equal(0);
      expect(findings).to.have.length(1);
      expect(findings[0]).to.deep.include({
        ...{ finding: 'different', objectId: paid.invoice.id, amount: 4_900, state: 'reported' },
        differences: [{ pointer: '/purchase/amount', ours: 4_900, wanted: 4_000 }],
      });
      expect(await world.facts()).to.deep.equal(before);
    });

    it('does not call another identity a difference: metadata may change', async () => {
      const customer = referred();
      await world.report(invoice(customer.id).event);
      world.stripe.account.updateCustomer(customer.id, { service_ucc: 'OTHER', new_user_id: '' });
      expect((await reconcile()).findings).to.deep.equal([]);
    });

    it('names facts that Stripe has no payment or refund of any more', async () => {
      const { account } = world.stripe;
      const [gone, void_] = [invoice(), invoice()];
      const bought = checkout();
      const refunded = invoice();
      const refund = account.refund({ chargeId: refunded.charges[0]!.id });
      await world.report(...[gone.event, void_.event, bought.event, refunded.event, refund.event]);
      account.remove(gone.invoice.id);
      account.setInvoiceStatus(void_.invoice.id, 'void');
      account.remove(bought.session.id);
      account.failRefund(refund.refund.id);
      const { findings } = await reconcile();
      expect(findings.map((one) => [one.finding, one.objectId, one.detail])).to.have.deep.members([
        ['extra', gone.invoice.id, `Stripe has no invoice ${gone.invoice.id}.`],
        ['extra', void_.invoice.id, 'Stripe has the invoice with status void.'],
        ['extra', bought.session.id, `Stripe has no checkout-session ${bought.session.id}.`],
        ['extra', refund.refund.id, 'Stripe has the refund with status failed.'],
      ]);
    });

    it('takes what was paid since, whenever it was made, and nothing from before', async () => {
      const before = since - daySeconds;
      const older = { created: before - daySeconds, paidAt: before };
      const late = { created: before - daySeconds, paidAt: since + daySeconds };
      const tooOld = { created: since - 61 * daySeconds, paidAt: since + daySeconds };
      invoice(undefined, 100, older);
      const paidLater = invoice(undefined, 200, late);
      invoice(undefined, 300, tooOld);
      const { findings } = await reconcile({ kind: 'invoices' });
      expect(findings.map(({ objectId }) => objectId)).to.deep.equal([paidLater.invoice.id]);
    });

    it('walks page by page: each is found once, facts beyond one call too', async () => {
      const customerId = referred().id;
      const { account } = world.stripe;
      const made = Array.from({ length: 130 }, (_, n) => {
        const created = present - daySeconds - 60 * n;
        return account.paidInvoice({
          ...{ customerId, currency: 'eur', lines: [{ amount: 100 + n }], created },
        });
      });
      const reported = made.filter((_, n) => n % 2 === 0);
      await world.report(...reported.map(({ event }) => event));
      const removed = reported.slice(0, mostExtrasAsked + 5);
      for (const { invoice: of } of removed) account.remove(of.id);
      const { findings, scanned, pages } = await reconcile({ kind: 'invoices' });
      expect(scanned).to.equal(130 - removed.length);
      expect(pages).to.be.greaterThan(1);
      const idsOf = (kind: string) =>
        findings.filter(({ finding }) => finding === kind).map(({ objectId }) => objectId);
      const untold = made.filter((_, n) => n % 2 === 1);
      expect(idsOf('missing').sort()).to.deep.equal(untold.map((one) => one.invoice.id).sort());
      expect(idsOf('extra').sort()).to.deep.equal(removed.map((one) => one.invoice.id).sort());
      expect(idsOf('different')).to.deep.equal([]);
    });

    it('ends with what Stripe says when it cannot be asked', async () => {
      const fault = world.stripe.fail({ answer: 'rate-limit', times: 1 });
      const refused = await reconcile().catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(StripeRefuses);
      expect((refused as StripeRefuses).refusal.outcome).to.equal('later');
      expect(fault.hits()).to.equal(1);
      world.stripe.setApiKeys([]);
      const rejected = await reconcile().catch((error: unknown) => error);
      expect((rejected as StripeRefuses).refusal.outcome).to.equal('refused');
    });
  });
}

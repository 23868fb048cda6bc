import type { Tx } from '@tributary/runtime/postgres';
import { readClaims, readClaimsOfInvoices } from './claims.ts';
import { type FreshFacts, readFacts, readRefundsOf } from './facts.ts';
import type { Claim } from '@tributary/attribution-fold/claim';
import { type Fact, namesOf } from '@tributary/attribution-fold/fact';
import { type Invoice, toInvoice } from '@tributary/attribution-fold/invoice';

/** By the key of each name; only invoices of which a refund has come. */
export type Invoices = Map<string, Invoice>;

/**
 * The invoices that these payments are about, with their refunds under whatever name. No statement
 * when no payment names an invoice.
 */
export async function readInvoices(
  tx: Tx,
  payments: readonly Fact[],
  /** Claims that this transaction has locked. */
  locked: ReadonlyMap<string, Claim>,
  fresh?: FreshFacts,
): Promise<Invoices> {
  const wanted = new Map(
    payments.flatMap((fact) => {
      const [businessKey] = namesOf(fact);
      if (businessKey === undefined) return [];
      return [[businessKey, { tenantId: fact.event.tenantId, businessKey }] as const];
    }),
  );
  if (wanted.size === 0) return new Map();

  const claims = new Map<string, Claim>();
  const unlocked = [...wanted.values()].filter(({ businessKey }) => !locked.has(businessKey));
  for (const { businessKey } of wanted.values()) {
    const claim = locked.get(businessKey);
    if (claim) claims.set(businessKey, claim);
  }
  if (unlocked.length > 0) {
    for (const claim of await readClaims(tx, unlocked, fresh)) claims.set(claim.businessKey, claim);
  }
  for (const claim of await otherNames(tx, [...claims.values()], fresh)) {
    if (!claims.has(claim.businessKey)) claims.set(claim.businessKey, claim);
  }

  const refunds = await readRefundsOf(tx, [...claims.values()], { ...(fresh && { fresh }) });
  if (refunds.length === 0) return new Map();
  const refundsOf = Map.groupBy(refunds, (refund) => invoiceOf(claims.get(namesOf(refund)[0]!)));
  const refunded = [...claims.values()].filter((claim) => refundsOf.has(invoiceOf(claim)));
  const holders = refunded.flatMap(({ holder }) => holder?.eventId ?? []);
  const purchases = new Map(
    (await readFacts(tx, [...new Set(holders)], fresh)).map((fact) => [fact.event.eventId, fact]),
  );
  const invoices = new Map<string, Invoice>();
  for (const [, names] of Map.groupBy(refunded, invoiceOf)) {
    const [first] = names;
    const holder = first?.holder && purchases.get(first.holder.eventId);
    const invoice = toInvoice(holder, refundsOf.get(invoiceOf(first)) ?? []);
    for (const { businessKey } of names) invoices.set(businessKey, invoice);
  }
  return invoices;
}

/** The facts, and the refunds that follow them: their users are to be locked together. */
export async function withRefunds(tx: Tx, facts: readonly Fact[]): Promise<Fact[]> {
  const invoices = await readInvoices(tx, facts, new Map());
  return [...facts, ...[...new Set(invoices.values())].flatMap((invoice) => invoice.all)];
}

async function otherNames(
  tx: Tx,
  claims: readonly Claim[],
  fresh: FreshFacts | undefined,
): Promise<Claim[]> {
  const joined = claims.flatMap(({ tenantId, invoice }) =>
    invoice === undefined ? [] : [{ tenantId, invoice }],
  );
  return joined.length > 0 ? readClaimsOfInvoices(tx, joined, fresh) : [];
}

function invoiceOf(claim: Claim | undefined): string {
  return claim?.invoice ?? claim?.businessKey ?? '';
}

import type { Story } from './story.ts';
import { plain, quoted } from './format.ts';

/** The flag of a refund in another currency than the purchase of its invoice. */
export const currencyMismatch = 'currency-mismatch';

/** What an event waits for, as sentences; empty when nothing is missing. */
export function waitsFor({ fact, decision, revision }: Story): string[] {
  if (fact === undefined && decision === undefined) return [];
  const waits = decisionWaitsFor(decision);
  const { outcome, campaignId, campaignRevision } = decision ?? {};
  if (outcome === 'attributed' && revision === undefined && campaignId !== undefined) {
    const named = `revision ${campaignRevision} of campaign ${quoted(campaignId)}`;
    waits.push(`Its rewards wait for ${named}, which has not arrived.`);
  }
  return waits;
}

/** The same of the decision alone. */
export function decisionWaitsFor(decision: Story['decision']): string[] {
  if (decision === undefined) {
    return ['It is not decided yet: attribution has not reached it.'];
  }
  if (decision.outcome === 'undecided') {
    return ['The decision failed inside the service; it is retried automatically.'];
  }
  if (decision.outcome !== 'waiting') return [];
  const { reason, ucc, waitsUntil, refund, flags } = decision;
  if (reason === 'unknown-code') {
    const until = waitsUntil === undefined ? '' : `, until ${waitsUntil}`;
    return [`It waits for code ${quoted(ucc)} to be issued${until}.`];
  }
  const invoice = refund?.invoiceId === undefined ? 'its invoice' : quoted(refund.invoiceId);
  if (flags.includes(currencyMismatch)) {
    const currency = refund === undefined ? 'its currency' : plain(refund.currency);
    return [
      `It is in ${currency}, and the purchase of invoice ${invoice} was paid in another currency: it takes nothing back.`,
      `Report the refund again in the currency of the purchase, with another idempotency key; this one waits for a purchase of invoice ${invoice} in ${currency}.`,
    ];
  }
  return [`It waits for the purchase of invoice ${invoice} that it reverses.`];
}

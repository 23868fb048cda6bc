import { nthPaymentBusinessKey } from '@tributary/contracts/business-key';
import type { EventRecord } from '@tributary/contracts/event-record';
import { type Modes, repeatHoursAt } from './attribution-mode.ts';
import { type Fact, hasDerivedKey, userKeyOf } from './fact.ts';
import type { FoldVersion } from './fold-version.ts';
import { secondsOf } from './seconds.ts';
import type { DecisionContext } from './decision-context.ts';

/**
 * Legacy payments that named neither an invoice nor a time. Equal ones (of one user, trigger,
 * price, currency and subscription: one business key by their digest) form a series in the order of
 * their receipt. The first begins a payment; what comes within 24 hours of that, or what the tenant
 * set, is a repeat of it; the next one after that begins another payment, and so on. So it depends
 * on the set of facts alone, in whatever order they arrive here.
 *
 * Payments of a series are distinguished by their number: the first keeps the digest as its
 * business key, the next are `…,2]`, `…,3]`. A late fact may make other events the first of each
 * payment, but a fact more never makes fewer payments. So no reward is taken back, and no id of a
 * reward is used for another payment, because facts arrived late.
 */
export type UntimedSeries = {
  /** The first event of each payment, in order; never empty. */
  payments: Receipt[];
  /** The last event of all, repeats too. */
  last: Receipt;
};

export type Receipt = Pick<EventRecord, 'eventId' | 'receivedAt'>;

/** By the business key that all events of a series share. */
export type UntimedPayments = Record<string, UntimedSeries>;

/** Whether other facts decide which payment it is. */
export function isUntimed(fact: Fact, version: FoldVersion): boolean {
  return version >= 2 && hasDerivedKey(fact) && fact.event.occurredAtRaw === '';
}

/**
 * What the payments of a user come to with these facts, which are new or all there are. `moved`:
 * facts that were there before may now be another payment, so that all of them have to be looked
 * at.
 */
export function withUntimed(
  known: UntimedPayments | undefined,
  facts: readonly Fact[],
  { foldVersion, modes }: { foldVersion: FoldVersion; modes: Modes },
): { untimed: UntimedPayments | undefined; moved: boolean } {
  const untimed = facts.filter((fact) => isUntimed(fact, foldVersion));
  if (untimed.length === 0) return { untimed: known, moved: false };
  const next: UntimedPayments = { ...known };
  let moved = false;
  for (const [key, own] of Map.groupBy(untimed, ({ businessKey }) => businessKey)) {
    const series = next[key];
    const isRepeat = (receipt: Receipt, of: Receipt) => repeats(receipt, of, modes);
    const received = own.map(({ event: { eventId, receivedAt } }) => ({ eventId, receivedAt }));
    if (series) moved ||= received.some((receipt) => moves(receipt, series, isRepeat));
    next[key] = seriesOf([...(series?.payments ?? []), ...received], series?.last, isRepeat);
  }
  return { untimed: next, moved };
}

type IsRepeat = (receipt: Receipt, of: Receipt) => boolean;

function seriesOf(
  receipts: readonly Receipt[],
  last: Receipt | undefined,
  isRepeat: IsRepeat,
): UntimedSeries {
  const ordered = receipts.toSorted(inOrder);
  const payments: Receipt[] = [];
  for (const receipt of ordered) {
    const begun = payments.at(-1);
    if (!begun || !isRepeat(receipt, begun)) payments.push(receipt);
  }
  const end = ordered.at(-1)!;
  return { payments, last: last && inOrder(last, end) > 0 ? last : end };
}

/** A repeat changes nothing wherever it comes; neither does what comes after all others. */
function moves(receipt: Receipt, { payments, last }: UntimedSeries, isRepeat: IsRepeat): boolean {
  if (inOrder(receipt, last) >= 0) return false;
  const begun = payments.findLast((payment) => inOrder(payment, receipt) <= 0);
  return !begun || !isRepeat(receipt, begun);
}

/**
 * By what the tenant had set when the later one came: what came before a setting is decided as it
 * was, and a fact more never makes fewer payments.
 */
function repeats(receipt: Receipt, of: Receipt, modes: Modes): boolean {
  const hours = repeatHoursAt(modes, secondsOf(receipt.receivedAt));
  return Date.parse(receipt.receivedAt) - Date.parse(of.receivedAt) <= hours * 3_600_000;
}

function inOrder(a: Receipt, b: Receipt): number {
  const byTime = Date.parse(a.receivedAt) - Date.parse(b.receivedAt);
  if (byTime !== 0) return byTime;
  return a.eventId < b.eventId ? -1 : a.eventId > b.eventId ? 1 : 0;
}

/** Which payment of its series a fact is, and whether it began it. */
export type UntimedPayment = {
  businessKey: string;
  first: Receipt;
  /** Why it is a repeat of the first, or another payment, in a sentence. */
  detail: string;
};

export function untimedPaymentOf(
  fact: Fact,
  { users, modes }: Pick<DecisionContext, 'users' | 'modes'>,
): UntimedPayment {
  const { event } = fact;
  const series = users.get(userKeyOf(fact))?.untimed?.[fact.businessKey];
  const at = series?.payments.findLastIndex((payment) => inOrder(payment, event) <= 0) ?? -1;
  const first = series?.payments[at];
  if (!first) throw new Error('a payment without a time that its user does not have');
  const hours = repeatHoursAt(modes.get(event.tenantId) ?? [], secondsOf(event.receivedAt));
  return {
    businessKey: nthPaymentBusinessKey(fact.businessKey, at + 1),
    first,
    detail: detailOf(event, { first, before: series?.payments[at - 1], hours }),
  };
}

const equal = 'equal payment without invoice id and timestamp';

function detailOf(
  { eventId }: EventRecord,
  { first, before, hours }: { first: Receipt; before: Receipt | undefined; hours: number },
): string {
  const within = `within ${hours} ${hours === 1 ? 'hour' : 'hours'}`;
  if (first.eventId !== eventId) {
    const came = `event ${first.eventId}, an ${equal}, came at ${first.receivedAt}`;
    return `${came}; this one, ${within} of it, is taken as a repeat of it`;
  }
  if (!before) return `no ${equal} came before it, so it is taken as a new payment`;
  const came = `the last payment that is equal, event ${before.eventId}, came at ${before.receivedAt}`;
  return `${came}; this one, not ${within} of it, is taken as a new payment`;
}

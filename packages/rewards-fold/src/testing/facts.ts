import { signupBusinessKey } from '@tributary/contracts/business-key';
import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import { minorUnitExponent } from '@tributary/contracts/currency';
import type { DecisionRecord, Reversal } from '@tributary/contracts/decision-record';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { purchaseDecision, signupDecision } from './records.ts';

/** Facts as a person tells them, for tables of worked examples. */

/** `49.00 EUR` in minor units; throws when the decimals are not those of the currency. */
export function moneyOf(text: string): { amount: number; currency: string } {
  const [number = '', currency = ''] = text.split(' ');
  const [, decimals = ''] = number.split('.');
  if (decimals.length !== minorUnitExponent(currency)) throw new Error(`not money: ${text}`);
  return { amount: Number(number.replace('.', '')), currency };
}

/** When: `2026-03-02 09:00`, in UTC. */
export function timesOf(when: string) {
  const occurredAt = `${when.replace(' ', 'T')}:00Z`;
  const instant = parseTimestamp(occurredAt);
  if (!instant) throw new Error(`not a time: ${when}`);
  return {
    occurredAt,
    occurredAtSeconds: instant.seconds,
    receivedAt: new Date(instant.epochMs + 1000).toISOString(),
  };
}

type FactOptions = Partial<DecisionRecord> & { invoice?: number };

/** Purchase number `n` by a user; `refunds` are told as [when, what was given back in all]. */
export function paid(
  n: number,
  user: string,
  when: string,
  money: string,
  { refunds = [], ...more }: FactOptions & { refunds?: [when: string, money: string][] } = {},
): DecisionRecord {
  const { amount, currency } = moneyOf(money);
  const reversals = refunds.map(([at, back], i): Reversal => {
    const reversedAmount = moneyOf(back).amount;
    const eventId = `refund-${n}-${i + 1}`;
    return { eventId, ...timesOf(at), reversedAmount, full: reversedAmount >= amount };
  });
  return purchaseDecision(n, {
    newUserId: user,
    ...timesOf(when),
    ...(reversals.length > 0 && { reversals }),
    purchase: { invoiceId: `inv_${more.invoice ?? n}`, amount, currency },
    ...more,
  });
}

export function signedUp(
  n: number,
  user: string,
  when: string,
  more: FactOptions = {},
): DecisionRecord {
  const businessKey = signupBusinessKey('t1', user);
  return signupDecision(n, { newUserId: user, businessKey, ...timesOf(when), ...more });
}

/** A rule of every purchase for the referrer. */
export function purchaseRule(more: Partial<CampaignRule> = {}): CampaignRule {
  return {
    ruleId: 'rule',
    trigger: 'purchase-created',
    recipient: 'referrer',
    effect: { kind: 'fixed', credits: '10' },
    ...more,
  };
}

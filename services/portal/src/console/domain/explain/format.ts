import type { Payment } from '@tributary/contracts/event-record';
import { formatMoney } from '@tributary/contracts/money';
import type { Person } from './story.ts';

/** How things are called in sentences. Ids come from others: no control character gets out. */
export function quoted(id: string): string {
  return JSON.stringify(plain(id));
}

export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\ufffd');
}

export function money({ amount, currency }: Pick<Payment, 'amount' | 'currency'>): string {
  return formatMoney(amount, currency);
}

export function credits(amount: string): string {
  return amount === '1' ? '1 credit' : `${amount} credits`;
}

export type NameOf = (userId: string) => string;

/** `user "u-1" (Cara Example)`, or without the name where it is not known. */
export function namesOf(people: readonly Person[]): NameOf {
  const names = new Map(people.map(({ userId, name }) => [userId, name]));
  return (userId) => {
    const name = names.get(userId);
    return `user ${quoted(userId)}${name ? ` (${plain(name)})` : ''}`;
  };
}

/** `monthly, product "pro", 3 seats`; empty when nothing was given. */
export function subscriptionText({ subscription }: Payment): string {
  if (subscription === undefined) return '';
  const { interval, productKey, seatsUsed } = subscription;
  return [
    ...(interval === undefined ? [] : [plain(interval)]),
    ...(productKey === undefined ? [] : [`product ${quoted(productKey)}`]),
    ...(seatsUsed === undefined ? [] : [seatsUsed === '1' ? '1 seat' : `${seatsUsed} seats`]),
  ].join(', ');
}

export function indent(lines: readonly string[], by = 2): string[] {
  return lines.map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`));
}

/** One line per test that was made. */
export function testLines(
  tests: readonly { test: string; passed: boolean; detail: string }[],
): string[] {
  const width = Math.max(0, ...tests.map(({ test }) => test.length));
  return tests.map(
    ({ test, passed, detail }) =>
      `${passed ? '✓' : '✗'} ${plain(test).padEnd(width)}  ${plain(detail)}`,
  );
}

import type { Command } from 'commander';

export type EventFlags = Partial<
  Record<
    'ucc' | 'user' | 'email' | 'invoice' | 'currency' | 'amount' | 'interval' | 'occurredAt',
    string
  >
>;

/** The members of an event that are written most often; --file has the others. */
export function withEventFlags(command: Command): Command {
  return command
    .option('--ucc <text>', 'the referral code')
    .option('--user <id>', 'the referred user')
    .option('--email <address>', 'e-mail of the referred user')
    .option('--invoice <id>', 'the invoice that was paid or refunded')
    .option('--currency <code>', 'such as EUR')
    .option('--amount <number>', 'in minor units: 4900 is 49.00 EUR')
    .option('--interval <interval>', 'of the subscription, such as monthly')
    .option('--occurred-at <time>', 'when it happened; now when left out');
}

/** What is left out stays out: the contract says what is required, and answers so. */
export function eventOf(flags: EventFlags): object {
  const { ucc, user, email, invoice, currency, amount, interval, occurredAt } = flags;
  return {
    ucc,
    occurredAt: occurredAt ?? new Date().toISOString(),
    ...((user ?? email) !== undefined && { newUser: { id: user, email } }),
    invoiceId: invoice,
    currency,
    ...(amount !== undefined && { amount: /^\d{1,15}$/.test(amount) ? Number(amount) : amount }),
    ...(interval !== undefined && { subscription: { interval } }),
  };
}

import type { Command } from 'commander';

export type EventFlags = Partial<
  Record<
    'ucc' | 'user' | 'email' | 'invoice' | 'currency' | 'amount' | 'interval' | 'occurredAt',
    string | undefined
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
    .option(
      '--occurred-at <time>',
      'when it happened; now when left out (not with --idempotency-key)',
    );
}

/** Those of an event among all flags of a command. */
export function eventFlagsOf(flags: EventFlags): EventFlags {
  const { ucc, user, email, invoice, currency, amount, interval, occurredAt } = flags;
  return { ucc, user, email, invoice, currency, amount, interval, occurredAt };
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
    ...(amount !== undefined && { amount: numberOf(amount) }),
    ...(interval !== undefined && { subscription: { interval } }),
  };
}

/** What is no whole number goes as the text that it is, and is refused as such. */
function numberOf(text: string): number | string {
  return /^(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

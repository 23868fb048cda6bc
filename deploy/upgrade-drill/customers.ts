import type { Random } from '../../test-faults/chain/random.ts';

/** One report of a customer's backend, as often as it is sent. */
export type Report = {
  tenantId: string;
  eventType: 'signup-created' | 'demo-attended' | 'purchase-created' | 'purchase-refunded';
  idempotencyKey: string;
  body: Record<string, unknown>;
};

/** A code of a referrer, with the tenant whose campaign it belongs to. */
export type Code = { tenantId: string; ucc: string };

const newUserShare = 0.4;
const hourMs = 3_600_000;

/**
 * Reports that look random: people sign up by somebody's code, see a demo, pay, pay again and get
 * money back, and now and then a backend reports the same under another key. What happened lies
 * within ten days before `now`, so that no hold ends while the drill runs.
 */
export function createCustomers(options: {
  codes: readonly Code[];
  random: Random;
  now: number;
  /** Distinguishes the people and invoices of one part of the drill from those of another. */
  prefix: string;
}): { next(): Report } {
  const { codes, random, now, prefix } = options;
  const users: { id: string; code: Code }[] = [];
  const paid: Report[] = [];
  let made = 0;

  const occurredAt = () => new Date(now - random.below(240) * hourMs).toISOString();
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)]!;

  function report(eventType: Report['eventType'], more: object = {}): Report {
    if (users.length === 0 || random.happens(newUserShare)) {
      users.push({ id: `${prefix}-user-${users.length}`, code: pick(codes) });
    }
    const { id, code } = eventType === 'signup-created' ? users.at(-1)! : pick(users);
    const body = { ucc: code.ucc, occurredAt: occurredAt(), newUser: { id }, ...more };
    return { tenantId: code.tenantId, eventType, idempotencyKey: `${prefix}-${made}`, body };
  }

  function purchase(): Report {
    const bought = report('purchase-created', {
      currency: pick(['EUR', 'USD']),
      invoiceId: `${prefix}-invoice-${made}`,
      amount: 100 + random.below(50_000),
      subscription: { interval: pick(['monthly', 'yearly']) },
    });
    paid.push(bought);
    return bought;
  }

  function refund({ tenantId, body }: Report): Report {
    const { subscription, amount, ...same } = body;
    const back = random.happens(0.3) ? amount : 1 + random.below(Number(amount));
    return {
      ...{ tenantId, eventType: 'purchase-refunded', idempotencyKey: `${prefix}-${made}` },
      body: { ...same, occurredAt: occurredAt(), amount: back },
    };
  }

  return {
    next() {
      made++;
      if (paid.length > 0 && random.happens(0.1)) return refund(pick(paid));
      if (paid.length > 0 && random.happens(0.05)) {
        return { ...pick(paid), idempotencyKey: `${prefix}-${made}` };
      }
      if (random.happens(0.35)) return report('signup-created');
      return random.happens(0.1) ? report('demo-attended') : purchase();
    },
  };
}

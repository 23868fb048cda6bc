import type { Random } from '../chain/random.ts';

/** A customer whose users do things. */
export type Customer = {
  tenantId: string;
  /** Codes that are issued from the start, each of another referrer. */
  codes: readonly string[];
  /** A code that an operator issues in the middle: until then its events wait. */
  lateCode: string;
};

/** One request that a customer's backend makes; it may be repeated as it is. */
export type Submission = {
  tenantId: string;
  path: string;
  /** Absent: it has none. */
  key?: string;
  body: string;
};

/** What a backend reports: a fact about a user, as v2 says it. */
type Fact = {
  type: 'signup-created' | 'demo-attended' | 'purchase-created' | 'purchase-refunded';
  ucc: string;
  userId: string;
  occurredAt: string;
  payment?: { invoiceId: string; currency: string; amount: number; interval: string };
};

const triggers: Record<Fact['type'], string> = {
  'purchase-created': 'invoice-paid',
  'signup-created': 'new-signup',
  'demo-attended': 'demo-call-attended',
  'purchase-refunded': 'charge-refunded',
};
const dayMs = 86_400_000;
/** Users whose requests are mixed with each other. */
const atATime = 12;

/**
 * Endless business histories of users of several customers, the same for a seed and a time:
 * signups, demos, purchases of any currency, refunds in parts, in any order, by v2 and the older
 * endpoint, with a key and without; repeated, reported by both endpoints, under a key of something
 * else, and broken so that they must be refused.
 */
export function createHistory(options: {
  random: Random;
  customers: readonly Customer[];
  /** Facts happened before it; milliseconds since the epoch. */
  nowMs: number;
  personalCanary: string;
}) {
  const { random, customers, nowMs, personalCanary } = options;
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
  const waiting: Submission[] = [];
  let users = 0;
  /** By customer: all use the same names, and each has them for itself. */
  const keys = new Map<string, number>();
  let invoices = 0;

  function next(): Submission {
    while (waiting.length < atATime * 8) waiting.push(...userOf(pick(customers)));
    return waiting.splice(random.below(waiting.length), 1)[0]!;
  }

  function userOf(customer: Customer): Submission[] {
    const userId = `mx.${customer.tenantId}.u${++users}`;
    const ucc = random.happens(0.1)
      ? customer.lateCode
      : random.happens(0.03)
        ? `nobody-${users}`
        : pick(customer.codes);
    const facts: Fact[] = [];
    const add = (type: Fact['type'], payment?: Fact['payment']) =>
      facts.push({ type, ucc, userId, occurredAt: someTime(), ...(payment && { payment }) });
    if (random.happens(0.8)) add('signup-created');
    if (random.happens(0.2)) add('demo-attended');
    const purchases = 1 + random.below(3);
    for (let n = 0; n < purchases; n++) {
      const payment = somePayment(customer);
      add('purchase-created', payment);
      if (random.happens(0.3))
        for (const refund of refundsOf(payment)) add('purchase-refunded', refund);
    }
    const submissions = facts.flatMap((fact) => reportsOf(customer, fact));
    if (random.happens(0.35)) submissions.push(brokenOne(customer));
    return submissions;
  }

  function someTime(): string {
    const ago = random.happens(0.03) ? -15 * 60_000 : random.below(20 * dayMs);
    return new Date(nowMs - ago).toISOString();
  }

  function somePayment({ tenantId }: Customer): NonNullable<Fact['payment']> {
    const amount = random.happens(0.03)
      ? pick([0, Number.MAX_SAFE_INTEGER])
      : 1_000 + random.below(30_000);
    return {
      invoiceId: `mx.${tenantId}.i${++invoices}`,
      currency: pick(['EUR', 'EUR', 'USD', 'JPY', 'KWD']),
      amount,
      interval: pick(['monthly', 'yearly', 'one-time']),
    };
  }

  /** Parts that differ, so that one can be told from the other. */
  function refundsOf(payment: NonNullable<Fact['payment']>): NonNullable<Fact['payment']>[] {
    if (payment.amount < 4) return [payment];
    const half = Math.floor(payment.amount / 2);
    const parts = random.happens(0.5) ? [payment.amount] : [half - 1, half];
    return parts.map((amount) => ({ ...payment, amount }));
  }

  function reportsOf(customer: Customer, fact: Fact): Submission[] {
    const isLegacy = random.happens(0.2);
    const first = isLegacy ? legacy(customer, fact) : v2(customer, fact, random.happens(0.75));
    const reports = [first];
    if (first.key !== undefined && random.happens(0.25)) reports.push(first);
    // A refund is told from another one by its key alone; without one it is not said twice.
    if (fact.type === 'purchase-refunded') return reports;
    if (first.key === undefined && random.happens(0.1)) reports.push(first);
    if (!isLegacy && random.happens(0.1)) reports.push(legacy(customer, fact));
    if (first.key !== undefined && random.happens(0.08)) reports.push(underKeyOf(first));
    return reports;
  }

  /** Refused whenever it comes second; should it come first, the other one is. */
  function underKeyOf(first: Submission): Submission {
    const body = JSON.parse(first.body) as { newUser: object };
    const id = `mx.${first.tenantId}.u${++users}`;
    return { ...first, body: JSON.stringify({ ...body, newUser: { ...body.newUser, id } }) };
  }

  function person(userId: string) {
    const n = userId.slice(userId.lastIndexOf('.') + 1);
    return { email: `${personalCanary}${n}@people.example`, name: `${personalCanary} ${n}` };
  }

  function nextKey(tenantId: string): string {
    const number = (keys.get(tenantId) ?? 0) + 1;
    keys.set(tenantId, number);
    return `key-${number}`;
  }

  function v2({ tenantId }: Customer, fact: Fact, isKeyed: boolean): Submission {
    const { type, ucc, userId, occurredAt, payment } = fact;
    const paid = payment && {
      ...{ invoiceId: payment.invoiceId, currency: payment.currency, amount: payment.amount },
      subscription: { interval: payment.interval },
    };
    const newUser = { id: userId, ...(random.happens(0.5) && person(userId)) };
    return {
      tenantId,
      path: `/v2/events/${type}`,
      ...(isKeyed && { key: nextKey(tenantId) }),
      body: JSON.stringify({ ucc, occurredAt, newUser, ...paid }),
    };
  }

  function legacy({ tenantId }: Customer, fact: Fact): Submission {
    const { type, ucc, userId, occurredAt, payment } = fact;
    const { amount = 0, currency = '', invoiceId, interval } = payment ?? {};
    const body = {
      eventName: 'ReferralUpdated',
      payload: { ucc, newUserId: userId, price: amount, currency },
      context: {
        event: { trigger: triggers[type], timestamp: occurredAt },
        newUser: { id: userId, ...person(userId) },
        ...(payment && { subscription: { invoiceId, interval } }),
      },
    };
    return { tenantId, path: '/events', body: JSON.stringify(body) };
  }

  /** Breaks the contract in one way; its user does nothing else. */
  function brokenOne(customer: Customer): Submission {
    const userId = `mx.${customer.tenantId}.u${++users}`;
    const payment = { ...somePayment(customer), amount: 4_900 };
    const fact: Fact = {
      ...{ type: 'purchase-created', ucc: pick(customer.codes), userId },
      ...{ occurredAt: someTime(), payment },
    };
    const { body, ...right } = v2(customer, fact, random.happens(0.5));
    const wrong = pick<object>([
      { amount: 49.5 },
      { amount: '4900' },
      { currency: 'eur' },
      { occurredAt: '2026-01-01 10:00:00' },
      { surprise: true },
      { subscription: {} },
    ]);
    return { ...right, body: JSON.stringify({ ...(JSON.parse(body) as object), ...wrong }) };
  }

  return { next };
}

export type History = ReturnType<typeof createHistory>;

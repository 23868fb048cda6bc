import type { CampaignRevisionRecord, TenantRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import fc from 'fast-check';
import { code, demo, purchase, refund, revision, signup, tenant } from './records.ts';

export type Arrival =
  | { topic: 'events'; record: EventRecord }
  | { topic: 'codes'; record: CodeRecord }
  | { topic: 'catalog'; record: CampaignRevisionRecord | TenantRecord };

const time = fc.constantFrom(
  '0000-01-01T00:00:00+23:59',
  '2026-01-31T23:59:59.9999999999Z',
  '2026-02-01T00:00:00Z',
  '2026-02-01T00:00:00.00000000000000000001Z',
  '2026-02-01T01:00:00+01:00',
  '2026-02-08T00:00:00Z',
  '2026-02-08T00:00:00.000000000000001Z',
  '2026-03-01T00:00:00Z',
);
/** Around 24 hours and 30 days: when a code that comes later still counts. */
const logTime = fc.constantFrom(
  '2026-01-31T00:00:00.000Z',
  '2026-02-01T00:00:00.000Z',
  '2026-02-01T00:00:00.001Z',
  '2026-03-02T00:00:00.000Z',
  '2026-03-03T00:00:00.001Z',
);

/** Users are owners too, so that they can refer themselves and each other. */
const user = fc.constantFrom('u1', 'u2', 'anna', 'bert');
const owner = fc.constantFrom('anna', 'bert', 'u1');
/** Two custom ones, one of the derived form, and one that nobody publishes. */
const codeNames = ['code-a', 'code-b', 'Derived0001'];
const ucc = fc.constantFrom(...codeNames, ...codeNames, 'never');
const names = fc.constantFrom('i1', 'i2', 'i3');

/** Mostly what is usual, so that the unusual meets something. */
function mostly<T>(usual: T, ...others: T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(usual, ...others) },
  );
}

/** Few users, invoices and codes, so that facts meet. */
const eventShape = fc.record({
  userId: user,
  ucc,
  source: fc.constantFrom(
    'v2' as const,
    'legacy' as const,
    'processor' as const,
    'widget' as const,
  ),
  occurredAt: time,
  receivedAt: logTime,
  invoiceId: fc.option(names, { freq: 8 }),
  aliases: fc.array(names, { maxLength: 2 }),
  refundId: fc.constantFrom('r1', 'r2'),
  amount: fc.constantFrom(0, 1000, 3000, 4900),
  currency: mostly('EUR', 'USD'),
  organizationId: fc.constantFrom(undefined, 'org'),
  untimed: fc.boolean(),
  build: fc.constantFrom('purchase', 'purchase', 'signup', 'demo', 'refund', 'refund'),
});
type EventShape = typeof eventShape extends fc.Arbitrary<infer T> ? T : never;

function toEvent(reported: EventShape, n: number) {
  const { build, aliases, refundId, organizationId, untimed, ...sent } = reported;
  const shape = untimed && sent.source === 'legacy' ? withoutTime(sent) : sent;
  // The widget tells of signups only.
  const event = builders[shape.source === 'widget' ? 'signup' : build](n, {
    ...shape,
    ...(shape.source === 'processor' && shape.invoiceId !== null && { aliases, refundId }),
  });
  return organizationId === undefined
    ? event
    : { ...event, newUser: { ...event.newUser, organizationId } };
}

/**
 * What an integration sends that reports neither times nor invoices, and mostly the same amount.
 */
function asUntimed(shape: EventShape): EventShape {
  const { source, amount, userId } = shape;
  if (source === 'widget') return shape;
  const usual = { source: 'legacy' as const, untimed: true, currency: 'EUR' };
  return { ...shape, ...usual, amount: amount && 1000, userId: userId === 'u2' ? 'u1' : userId };
}

/** As the legacy endpoint stores what came with neither a time nor an invoice. */
function withoutTime<T extends { receivedAt: string }>(shape: T) {
  return { ...shape, invoiceId: null, occurredAt: shape.receivedAt, occurredAtRaw: '' };
}

type PaymentShape = Parameters<typeof refund>[1];
const builders = {
  purchase: (n: number, { refundId: _, ...shape }: PaymentShape & object) => purchase(n, shape),
  signup: (n: number, shape: PaymentShape & object) => signup(n, shape),
  demo: (n: number, shape: PaymentShape & object) => demo(n, shape),
  refund: (n: number, shape: PaymentShape & object) => refund(n, shape),
};

const codeShape = fc.record({
  ucc: fc.constantFrom(...codeNames),
  version: mostly(1, 2, 3),
  type: mostly<'code-issued' | 'code-disabled'>('code-issued', 'code-disabled'),
  productUserId: owner,
  campaignId: fc.constantFrom('c1', 'c2'),
  at: fc.oneof(fc.constant('2026-01-30T12:00:00.000Z'), logTime),
});

const revisionShape = fc
  .record({
    campaignId: fc.constantFrom('c1', 'c2'),
    revision: mostly(1, 2, 3),
    status: mostly<'running' | 'stopped'>('running', 'stopped'),
    effectiveFrom: mostly(
      '0000-01-01T00:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
    ),
    attributionWindowDays: fc.constantFrom(undefined, 7, 30),
    referralLoops: fc.constantFrom(
      undefined,
      'reject' as const,
      'review' as const,
      'allow' as const,
    ),
    existingUsers: fc.constantFrom(undefined, 'include' as const, 'exclude' as const),
  })
  .map(withoutUndefined);

const tenantShape = fc
  .record({
    version: fc.integer({ min: 1, max: 3 }),
    attributionMode: fc.constantFrom(undefined, 'event-code' as const, 'first-code' as const),
    legacyRepeatHours: mostly<number | undefined>(undefined, 1, 720),
    publishedAt: fc.constantFrom('2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'),
  })
  .map(withoutUndefined);

/** Sets of records, and an order in which they arrive, some of them more than once. */
export const arrivals = fc
  .record({
    events: fc
      .record({
        shapes: fc.array(eventShape, { minLength: 2, maxLength: 12 }),
        allUntimed: mostly(false, true),
      })
      .map(({ shapes, allUntimed }) =>
        (allUntimed ? shapes.map(asUntimed) : shapes).map((shape, i): EventRecord =>
          toEvent(shape, i + 1),
        ),
      ),
    codes: fc
      .uniqueArray(codeShape, {
        selector: (c) => `${c.ucc} ${c.version}`,
        minLength: 2,
        maxLength: 6,
      })
      .map((shapes) => shapes.map(code)),
    revisions: fc
      .uniqueArray(revisionShape, {
        selector: (r) => `${r.campaignId} ${r.revision}`,
        minLength: 2,
        maxLength: 6,
      })
      .map((shapes) => shapes.map(revision)),
    tenants: fc
      .uniqueArray(tenantShape, { selector: (t) => t.version, maxLength: 3 })
      .map((shapes) => shapes.map(tenant)),
  })
  .chain((sets) => {
    const all: Arrival[] = [
      ...sets.events.map((record) => ({ topic: 'events' as const, record })),
      ...sets.codes.map((record) => ({ topic: 'codes' as const, record })),
      ...sets.revisions.map((record) => ({ topic: 'catalog' as const, record })),
      ...sets.tenants.map((record) => ({ topic: 'catalog' as const, record })),
    ];
    return fc.record({
      sets: fc.constant(sets),
      order: fc.array(fc.nat({ max: all.length - 1 }), { maxLength: 8 }).chain((again) => {
        const some = [...all, ...again.flatMap((i) => all[i] ?? [])];
        return fc.shuffledSubarray(some, { minLength: some.length });
      }),
    });
  });

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Absent instead of undefined, as on the log. */
function withoutUndefined<T extends object>(shape: T): Given<T> {
  return JSON.parse(JSON.stringify(shape)) as Given<T>;
}

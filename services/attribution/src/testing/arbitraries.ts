import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import fc from 'fast-check';
import { code, demo, purchase, refund, revision, signup } from './records.ts';

export type Arrival =
  | { topic: 'events'; record: EventRecord }
  | { topic: 'codes'; record: CodeRecord }
  | { topic: 'catalog'; record: CampaignRevisionRecord };

const time = fc.constantFrom(
  '0000-01-01T00:00:00+23:59',
  '2026-01-31T23:59:59.9999999999Z',
  '2026-02-01T00:00:00Z',
  '2026-02-01T00:00:00.00000000000000000001Z',
  '2026-02-01T01:00:00+01:00',
  '2026-03-01T00:00:00Z',
);
const logTime = fc.constantFrom(
  '2026-02-01T00:00:00.000Z',
  '2026-02-01T00:00:00.001Z',
  '2026-03-01T00:00:00.000Z',
);

/** Few users, invoices and codes, so that facts meet. Users own codes too. */
const eventShape = fc.record({
  userId: fc.constantFrom('u1', 'u2', 'u3', 'anna'),
  ucc: fc.constantFrom('code-a', 'code-b', 'never'),
  source: fc.constantFrom('v2' as const, 'legacy' as const, 'processor' as const),
  occurredAt: time,
  receivedAt: logTime,
  invoiceId: fc.constantFrom('i1', 'i2', null),
  amount: fc.constantFrom(0, 4900),
  build: fc.constantFrom(purchase, purchase, signup, demo, refund),
});

const codeShape = fc.record({
  ucc: fc.constantFrom('code-a', 'code-b'),
  version: fc.integer({ min: 1, max: 3 }),
  type: fc.constantFrom('code-issued' as const, 'code-disabled' as const),
  productUserId: fc.constantFrom('anna', 'bert'),
  campaignId: fc.constantFrom('c1', 'c2'),
  at: logTime,
});

const revisionShape = fc.record({
  campaignId: fc.constantFrom('c1', 'c2'),
  revision: fc.integer({ min: 1, max: 3 }),
  status: fc.constantFrom('running' as const, 'running' as const, 'stopped' as const),
  effectiveFrom: fc.constantFrom('2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'),
});

/** Sets of records, and an order in which they arrive, some of them more than once. */
export const arrivals = fc
  .record({
    events: fc
      .array(eventShape, { minLength: 1, maxLength: 10 })
      .map((shapes) => shapes.map(({ build, ...shape }, i): EventRecord => build(i + 1, shape))),
    codes: fc
      .uniqueArray(codeShape, { selector: (c) => `${c.ucc} ${c.version}`, maxLength: 6 })
      .map((shapes) => shapes.map(code)),
    revisions: fc
      .uniqueArray(revisionShape, {
        selector: (r) => `${r.campaignId} ${r.revision}`,
        maxLength: 6,
      })
      .map((shapes) => shapes.map(revision)),
  })
  .chain((sets) => {
    const all: Arrival[] = [
      ...sets.events.map((record) => ({ topic: 'events' as const, record })),
      ...sets.codes.map((record) => ({ topic: 'codes' as const, record })),
      ...sets.revisions.map((record) => ({ topic: 'catalog' as const, record })),
    ];
    return fc.record({
      sets: fc.constant(sets),
      order: fc.array(fc.nat({ max: all.length - 1 }), { maxLength: 8 }).chain((again) => {
        const some = [...all, ...again.flatMap((i) => all[i] ?? [])];
        return fc.shuffledSubarray(some, { minLength: some.length });
      }),
    });
  });

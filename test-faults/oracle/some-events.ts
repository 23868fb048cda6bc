import { eventSchemaVersion, type EventRecord } from '@tributary/contracts/event-record';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import fc from 'fast-check';
import { dayText, logTimes, mostly, occurredTimes } from './moments.ts';
import { currencies, customCodes, derivedCodes, type Flavour, invoices, people } from './names.ts';

export type MakeEvent = (eventId: string, before: readonly EventRecord[]) => EventRecord;

/**
 * The same reported again at another time, as by a caller who does not know that it was received.
 */
export const repetition: fc.Arbitrary<MakeEvent> = fc
  .record({
    of: fc.nat(),
    receivedAt: logTimes,
    occurredAt: occurredTimes,
    isSameTime: fc.boolean(),
    subscriptionId: fc.constantFrom(undefined, 's1'),
    source: fc.constantFrom(undefined, 'v2', 'widget'),
  })
  .map(
    ({ of, receivedAt, occurredAt, isSameTime, source, subscriptionId }) =>
      (eventId, before) => {
        const payload = before[of % Math.max(before.length, 1)] ?? nothingYet;
        const first = withSubscription(payload, subscriptionId);
        const again = {
          ...first,
          eventId,
          receivedAt,
          ...(source && isPlain(first) && { source }),
        };
        if (first.occurredAtRaw === '') return { ...again, ...atReceipt(receivedAt) };
        if (isSameTime) return again;
        return { ...again, occurredAt, occurredAtSeconds: parseTimestamp(occurredAt)!.seconds };
      },
  );

/** As an integration tells it that sends neither times nor invoices, and one price. */
export function untimed(event: EventRecord): EventRecord {
  const payload = { ...event, ...atReceipt(event.receivedAt), source: 'legacy', occurredAtRaw: '' };
  const paid = { currency: 'EUR', amount: 1000 };
  if (event.eventType === 'purchase-created') return { ...payload, purchase: paid } as EventRecord;
  if (event.eventType === 'purchase-refunded') return { ...payload, refund: paid } as EventRecord;
  return event;
}

/** What is sent without a time is stored with that of its receipt. */
function atReceipt(receivedAt: string) {
  return { occurredAt: receivedAt, occurredAtSeconds: parseTimestamp(receivedAt)!.seconds };
}

function withSubscription(event: EventRecord, id: string | undefined): EventRecord {
  if (event.eventType !== 'purchase-created' || id === undefined) return event;
  return { ...event, purchase: { ...event.purchase, subscription: { id } } };
}

/** What only a processor or the legacy endpoint can say stays theirs. */
function isPlain(event: EventRecord): boolean {
  return event.source === 'v2' || event.source === 'widget';
}

const nothingYet: EventRecord = {
  ...{ schemaVersion: eventSchemaVersion, eventType: 'signup-created', eventId: '' },
  ...{ tenantId: 't1', source: 'v2', ucc: derivedCodes[0]!, newUser: { id: 'u1' } },
  ...{ receivedAt: dayText(0, '12:00:00.000Z'), occurredAt: dayText(0, '12:00:00Z') },
  occurredAtSeconds: parseTimestamp(dayText(0, '12:00:00Z'))!.seconds,
};

export function event(flavour: Flavour): fc.Arbitrary<MakeEvent> {
  const isTricky = flavour.attribution === 'tricky';
  return fc
    .record({
      tenantId: isTricky ? mostly(['t1'], ['t2']) : fc.constant('t1'),
      receivedAt: logTimes,
      occurredAt: occurredTimes,
      ucc: isTricky
        ? mostly([...derivedCodes, ...customCodes], ['', 'NOBODY'], 12)
        : fc.constantFrom(...derivedCodes),
      newUserId: fc.constantFrom(...people),
      reported: reports(flavour),
      noTime: fc.boolean(),
    })
    .map(({ newUserId, reported, noTime, ...common }) => (eventId: string) => {
      const isUntimed = reported.source === 'legacy' && noTime;
      const occurredAt = isUntimed ? common.receivedAt : common.occurredAt;
      return {
        schemaVersion: eventSchemaVersion,
        eventId,
        ...common,
        newUser: { id: newUserId },
        ...(isUntimed && { occurredAtRaw: '' }),
        occurredAt,
        occurredAtSeconds: parseTimestamp(occurredAt)!.seconds,
        ...reported,
      };
    });
}

/** Out of 20 events: how many are what. */
function reports(flavour: Flavour) {
  const otherSources = flavour.attribution === 'tricky' ? 5 : 1;
  const source = fc.oneof(
    { arbitrary: fc.constant('v2' as const), weight: 6 },
    { arbitrary: fc.constantFrom('legacy', 'processor', 'widget'), weight: otherSources },
  );
  const unpaid = fc.record({
    eventType: fc.constantFrom('signup-created', 'demo-attended'),
    source,
  });
  const purchase = payments(source).map(({ payment, ...about }) => ({
    eventType: 'purchase-created' as const,
    ...about,
    purchase: withoutRefundId(payment),
  }));
  const refund = payments(source).map(({ payment, ...about }) => ({
    eventType: 'purchase-refunded' as const,
    ...about,
    refund: payment,
  }));
  return fc.oneof(
    { arbitrary: unpaid, weight: 4 },
    { arbitrary: purchase, weight: 10 },
    { arbitrary: refund, weight: 6 },
  );
}

function payments(sources: fc.Arbitrary<EventRecord['source']>) {
  const payment = fc.record({
    invoiceId: fc.constantFrom(...invoices),
    currency: mostly(['EUR'], currencies, 3),
    amount: amounts,
    subscription: fc.record({
      id: fc.constantFrom('s1', 's2'),
      interval: fc.constantFrom('monthly', 'yearly'),
      seatsUsed: fc.constantFrom('1', '10', '99999999999999999999'),
      productKey: fc.constantFrom('basic', 'pro'),
    }),
  });
  const oddities = fc.record({
    hasInvoice: mostly([true], [false], 3),
    hasSubscription: mostly([true], [false]),
    aliases: fc.subarray(invoices, { maxLength: 2 }),
    refundId: fc.constantFrom(undefined, 're1', 're2'),
    idempotencyKey: fc.constantFrom(undefined, undefined, 'k1', 'k2'),
  });
  return fc.tuple(sources, payment, oddities).map(([source, payload, odd]) => {
    const { invoiceId, subscription, ...paid } = payload;
    const isProcessor = source === 'processor';
    const isNamed = source !== 'legacy' || odd.hasInvoice;
    const { idempotencyKey, refundId, aliases } = odd;
    return {
      source,
      ...(idempotencyKey !== undefined && {
        idempotency: { key: idempotencyKey, fingerprint: 'f' },
      }),
      payment: {
        ...(isNamed && { invoiceId }),
        ...paid,
        ...(isProcessor && aliases.length > 0 && { aliases }),
        ...(isProcessor && refundId !== undefined && { refundId }),
        ...(odd.hasSubscription && { subscription }),
      },
    };
  });
}

function withoutRefundId<P extends { refundId?: string }>({ refundId: _, ...payment }: P) {
  return payment;
}

const amounts = mostly([100, 1000, 12_345], [0, 1, 50, 99, 101, 125, 2 ** 53 - 1, 2 ** 53 - 2], 3);

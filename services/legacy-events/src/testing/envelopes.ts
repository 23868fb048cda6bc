import { parseRawJson } from '../domain/raw-json.ts';
import { type LegacyReading, readLegacyEvent } from '../domain/read-legacy-event.ts';

export const receipt = {
  eventId: '01980000-0000-7000-8000-000000000001',
  tenantId: 't1',
  receivedAt: new Date('2026-03-01T12:00:00.000Z'),
  backdatingWindowDays: 90,
};

/** A whole payment; `undefined` leaves a member out. */
export function payment(
  change: {
    payload?: Record<string, unknown>;
    event?: Record<string, unknown>;
    newUser?: Record<string, unknown>;
    subscription?: Record<string, unknown>;
  } = {},
) {
  return {
    eventName: 'ReferralUpdated',
    payload: { ucc: 'CODE1', newUserId: 'u1', price: 4900, currency: 'EUR', ...change.payload },
    context: {
      event: { trigger: 'invoice-paid', timestamp: '2026-03-01 10:00:00', ...change.event },
      ...(change.newUser && { newUser: change.newUser }),
      subscription: { invoiceId: 'inv-1', ...change.subscription },
    },
  };
}

export function read(body: unknown): LegacyReading {
  return readText(JSON.stringify(body));
}

export function readText(text: string): LegacyReading {
  const raw = parseRawJson(Buffer.from(text));
  if (raw === undefined) throw new Error('not JSON');
  return readLegacyEvent(raw, receipt);
}

export function eventOf(body: unknown) {
  const reading = read(body);
  if (reading.outcome === 'refused') throw new Error(`refused: ${reading.message}`);
  return reading.event;
}

export function personOf(body: unknown) {
  const reading = read(body);
  return reading.outcome === 'event' ? reading.person : undefined;
}

export function messageOf(body: unknown): string | undefined {
  const reading = read(body);
  return reading.outcome === 'refused' ? reading.message : undefined;
}

/** Code and pointer of each warning in the record. */
export function warningsOf(body: unknown): [string, string | undefined][] {
  return (eventOf(body).warnings ?? []).map(({ code, pointer }) => [code, pointer]);
}

import type { EventRecord, Purchase } from '@tributary/contracts/event-record';
import { warningsOf } from '@tributary/contracts/warning';
import type { OccurredAt } from './occurred-at.ts';

type Warnings = NonNullable<EventRecord['warnings']>;

/**
 * Kept in the record for people who look later; the answer of this endpoint has no room for them.
 * Pointers are those of the legacy envelope.
 */
export function readWarnings(options: {
  occurredAt: OccurredAt;
  receivedAt: Date;
  backdatingWindowDays: number;
  organizationId: string | undefined;
  purchase: Purchase | undefined;
  timestampMissing: boolean;
  priceRounded: boolean;
}): Warnings {
  const { occurredAt, receivedAt, backdatingWindowDays, organizationId, purchase } = options;
  const warnings: Warnings = warningsOf({
    occurredAtMs: occurredAt.epochMs,
    receivedAtMs: receivedAt.getTime(),
    backdatingWindowDays,
    body: { newUser: { organizationId }, subscription: purchase?.subscription },
  }).map(({ pointer, ...warning }) => ({
    ...warning,
    ...(pointer !== undefined && { pointer: legacyPointer(pointer) }),
  }));
  if (options.timestampMissing) {
    warnings.push({
      code: 'OCCURRED_AT_MISSING',
      detail: 'No timestamp was sent; the time of receipt stands for it.',
      pointer: '/context/event/timestamp',
    });
  }
  if (options.priceRounded) {
    warnings.push({
      code: 'AMOUNT_ROUNDED',
      detail: 'The price was not whole minor units and was rounded half up.',
      pointer: '/payload/price',
    });
  }
  return warnings;
}

function legacyPointer(pointer: string): string {
  return pointer === '/occurredAt' ? '/context/event/timestamp' : `/context${pointer}`;
}

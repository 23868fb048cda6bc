import { smallestPurchase as valid } from './purchase-body.ts';

/**
 * Bodies of purchase-created for `npm run bench -- reject`; what is wrong with each is its name.
 */
export const refusedBodies: Record<string, string> = {
  'one violation': text({ ...valid, amount: '4900' }),
  'five violations': text({
    ...valid,
    ucc: '',
    currency: 'eur',
    amount: 49.5,
    occurredAt: '2026-01-31 12:00:00',
    subscription: {},
  }),
  'over 20 violations': text({ ...valid, ...unknownFields(25) }),
};

const largeBytes = 60 * 1024;

/** The same size, and nothing wrong with it. */
export const largeValidBody = padded(text(valid));

export const largeRefusedBodies: Record<string, string> = {
  '60 KiB of unknown fields': padded(text({ ...valid, ...unknownFields(2_100) })),
  '60 KiB, one unknown field': padded(text({ ...valid, extra: 'x'.repeat(largeBytes - 300) })),
};

function unknownFields(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`unknown_field_${n}`, 'value']),
  );
}

function text(body: object): string {
  return JSON.stringify(body);
}

/** With blanks before the end. */
function padded(json: string): string {
  return `${json.slice(0, -1)}${' '.repeat(largeBytes - json.length)}}`;
}

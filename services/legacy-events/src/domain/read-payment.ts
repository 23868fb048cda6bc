import type { Payment } from '@tributary/contracts/event-record';
import type { FieldReader, Section } from './field-reader.ts';
import type { Money } from './read-money.ts';

/**
 * What was paid or given back. Without an invoice id a purchase gets a business key made of all
 * else that it says, and a refund waits (design 7).
 */
export function readPayment(
  fields: FieldReader,
  { price, currency }: Money,
  subscription: Section,
): Payment | undefined {
  if (!price) return fields.refuse('payload.price is missing');
  if (currency === undefined) return fields.refuse('payload.currency is missing');
  if (price.rounded) {
    fields.warn({
      code: 'AMOUNT_ROUNDED',
      detail: 'The price was not whole minor units and was rounded half up.',
      pointer: '/payload/price',
    });
  }
  const invoiceId = fields.text(subscription, 'invoiceId');
  const details = compact({
    id: fields.text(subscription, 'id'),
    interval: fields.text(subscription, 'interval'),
    seatsUsed: readSeats(fields, subscription),
    productKey: fields.text(subscription, 'productKey'),
  });
  return {
    ...(invoiceId !== undefined && { invoiceId }),
    currency,
    amount: Number(price.minorUnits),
    ...(Object.keys(details).length > 0 && { subscription: details }),
  };
}

function readSeats(fields: FieldReader, subscription: Section): string | undefined {
  const seats = fields.number(subscription, 'seatsUsed');
  if (seats?.rounded) {
    fields.warn({
      code: 'SEATS_ROUNDED',
      detail: 'The seats were not a whole number and were rounded half up.',
      pointer: '/context/subscription/seatsUsed',
    });
  }
  return seats && String(seats.value);
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function compact<T extends Record<string, unknown>>(object: T): Present<T> {
  const present = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Present<T>;
}

import { minorUnitExponent } from '@tributary/contracts/currency';
import type { Purchase } from '@tributary/contracts/event-record';
import type { FieldReader } from './field-reader.ts';
import type { RawObject } from './raw-json.ts';
import { roundHalfUp } from './round-half-up.ts';

/** `payload.price` as sent: whole minor units, maybe as text, maybe with decimals. */
export type Price = { minorUnits: bigint; rounded: boolean };

export function readPrice(fields: FieldReader, payload: RawObject): Price | undefined {
  const text = fields.text(payload, 'price', 'payload.price', 400);
  if (text === undefined) return undefined;
  const number = roundHalfUp(text);
  if (!number || number.value > BigInt(Number.MAX_SAFE_INTEGER)) {
    return fields.refuse('payload.price must be a number from 0 to 9007199254740991');
  }
  return { minorUnits: number.value, rounded: number.rounded };
}

export function readPurchase(
  fields: FieldReader,
  price: Price | undefined,
  currency: string | undefined,
  subscription: RawObject,
): Purchase | undefined {
  if (!price) return fields.refuse('payload.price is missing');
  const code = currency?.trim().toUpperCase();
  if (!code) return fields.refuse('payload.currency is missing');
  if (minorUnitExponent(code) === undefined) {
    return fields.refuse('payload.currency is not a currency of ISO 4217');
  }
  const path = 'context.subscription';
  const text = (name: string) => fields.text(subscription, name, `${path}.${name}`, 255);
  const invoiceId = text('invoiceId');
  const details = compact({
    id: text('id'),
    interval: text('interval'),
    seatsUsed: readSeats(fields, text('seatsUsed')),
    productKey: text('productKey'),
  });
  return {
    ...(invoiceId !== undefined && { invoiceId }),
    currency: code,
    amount: Number(price.minorUnits),
    ...(Object.keys(details).length > 0 && { subscription: details }),
  };
}

function readSeats(fields: FieldReader, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const number = roundHalfUp(text);
  if (!number) return fields.refuse('context.subscription.seatsUsed must be a number from 0 up');
  return String(number.value);
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function compact<T extends Record<string, unknown>>(object: T): Present<T> {
  const present = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Present<T>;
}

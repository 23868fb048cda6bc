import { minorUnitExponent } from '@tributary/contracts/currency';
import type { FieldReader, Section } from './field-reader.ts';

/** `payload.price` and `payload.currency`: what was paid, or given back, in minor units. */
export type Money = {
  price: { minorUnits: bigint; rounded: boolean } | undefined;
  /** In upper case; undefined when absent or blank, as on a signup. */
  currency: string | undefined;
};

const maxPrice = BigInt(Number.MAX_SAFE_INTEGER);

/** Validated on every event that carries them, also where nothing is paid. */
export function readMoney(fields: FieldReader, payload: Section): Money {
  const price = fields.number(payload, 'price', maxPrice);
  return {
    price: price && { minorUnits: price.value, rounded: price.rounded },
    currency: readCurrency(fields, payload),
  };
}

/** A price that was rounded down to 0 is a payment all the same. */
export function isZero({ price }: Money): boolean {
  return !price || (price.minorUnits === 0n && !price.rounded);
}

function readCurrency(fields: FieldReader, payload: Section): string | undefined {
  const sent = fields.text(payload, 'currency')?.trim();
  if (!sent) return undefined;
  // Letters of ASCII only: the upper case of `ſ` and `ı` would make a currency of a misprint.
  const code = /^[A-Za-z]+$/.test(sent) ? sent.toUpperCase() : sent;
  if (minorUnitExponent(code) !== undefined) return code;
  return fields.refuse('payload.currency is not a currency of ISO 4217');
}

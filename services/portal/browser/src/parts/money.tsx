import { minorUnitExponent } from '@tributary/contracts/currency';
import { Amount } from './amount.tsx';
import { fromMinorUnits } from './amounts.ts';

/** An amount in minor units with its currency, digit for digit. */
export function Money({ minor, currency }: { minor: number; currency: string }) {
  return <Amount value={fromMinorUnits(minor, minorUnitExponent(currency) ?? 0)} unit={currency} />;
}

import { language } from '../i18n/language.ts';
import { formatDecimal } from './amounts.ts';

export type Counted = { count: number; more: boolean };

/** A count as people read it; `10,000+` where it was not counted to the end. */
export function PlainCount({ of: { count, more } }: { of: Counted }) {
  const shown = formatDecimal(String(count), language.use());
  return <>{more ? `${shown}+` : shown}</>;
}

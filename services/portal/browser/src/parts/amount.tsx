import { language } from '../i18n/language.ts';
import { formatDecimal } from './amounts.ts';

/** Credits and money: an exact decimal, as the API gives it. */
export function Amount({ value, unit }: { value: string; unit?: string }) {
  const shown = formatDecimal(value, language.use());
  return (
    <data value={value} className="amount">
      {unit === undefined ? shown : `${shown} ${unit}`}
    </data>
  );
}

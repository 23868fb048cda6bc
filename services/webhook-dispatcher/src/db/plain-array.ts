/**
 * What stands in an array literal as it is: ids, numbers, times, words of our own; never text of
 * others.
 */
export type Plain = string | number | boolean | Date | null | undefined;

/**
 * An array parameter as text. The client would quote each element by itself, which for the arrays
 * of a batch costs more than all else that it does.
 *
 * @throws when an element would have to be quoted
 */
export function plainArray(values: readonly Plain[]): string {
  const text = values.map(toText).join(',');
  if (!plainElements.test(text) || commasOf(text) !== Math.max(0, values.length - 1))
    throw new Error('an element of an array is not plain');
  return `{${text}}`;
}

function toText(value: Plain): string | number | boolean {
  if (value === null || value === undefined) return 'NULL';
  return value instanceof Date ? value.toISOString() : value;
}

function commasOf(text: string): number {
  let commas = 0;
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) commas += 1;
  return commas;
}

/** No quotes, braces, backslashes or blanks, and nothing empty. */
const plainElements = /^(?:[\w:.+-]+(?:,[\w:.+-]+)*)?$/;

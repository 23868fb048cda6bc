import type { CsvForm } from '@tributary/contracts/admin/csv-form';
import { csvCell } from '@tributary/contracts/csv-cell';

/** The first line: where each column is in an item. */
export function csvHead({ columns }: CsvForm): string {
  return toLine(columns.map((name) => csvCell(name, { mayBeNumber: false })));
}

/** One item as a line of RFC 4180. */
export function csvLine({ columns, numbers }: CsvForm, item: unknown): string {
  return toLine(
    columns.map((name) => {
      const text = textOf(memberAt(item, name.split('.')));
      return csvCell(text, { mayBeNumber: numbers.has(name) });
    }),
  );
}

function toLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return memberAt((value as Record<string, unknown>)[name], rest);
}

/** Several words as such, anything else that has parts as JSON. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length === 0) return '';
  if (Array.isArray(value) && value.every((one) => /^[\w-]+$/.test(String(one)))) {
    return value.join(' ');
  }
  const json = JSON.stringify(value);
  return value instanceof Date ? value.toISOString() : json;
}

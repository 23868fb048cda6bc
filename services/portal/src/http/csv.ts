import type { CsvForm } from '@tributary/contracts/admin/csv-form';

/** The first line: where each column is in an item. */
export function csvHead({ columns }: CsvForm): string {
  return toLine(columns.map((name) => ({ text: name, isNumber: false })));
}

/** One item as a line of RFC 4180. */
export function csvLine({ columns, numbers }: CsvForm, item: unknown): string {
  return toLine(
    columns.map((name) => {
      const text = textOf(memberAt(item, name.split('.')));
      return { text, isNumber: numbers.has(name) && plainNumber.test(text) };
    }),
  );
}

function toLine(cells: readonly { text: string; isNumber: boolean }[]): string {
  const quoted = cells.map(({ text, isNumber }) => quote(isNumber ? text : harmless(text)));
  return `${quoted.join(',')}\r\n`;
}

const plainNumber = /^-?[0-9]+(\.[0-9]+)?$/;

/**
 * A spreadsheet takes a cell that begins so for a formula, which could ask any address for anything
 * beside it. In front of a quotation mark it is text. Where semicolons part cells, as in much of
 * Europe, what follows one begins a cell: so these are in quotation marks, too.
 */
function harmless(text: string): string {
  return /^[=+\-@;\t\r\n]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",;\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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

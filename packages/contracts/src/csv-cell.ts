/**
 * A text as a cell of RFC 4180. A spreadsheet takes one that begins like a formula for that, and it
 * could ask any address for anything beside it; behind an apostrophe it is text. Where semicolons
 * part cells, as in much of Europe, what follows one begins a cell: so these are in quotation
 * marks, too. An exact number, where the column has such, stays one.
 */
export function csvCell(text: string, { mayBeNumber }: { mayBeNumber: boolean }): string {
  return quote(mayBeNumber && plainNumber.test(text) ? text : harmless(text));
}

const plainNumber = /^-?[0-9]+(\.[0-9]+)?$/;

function harmless(text: string): string {
  return /^[=+\-@;\t\r\n]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",;\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

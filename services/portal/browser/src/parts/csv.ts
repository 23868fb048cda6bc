import { csvCell } from '@tributary/contracts/csv-cell';

/** A table as CSV (RFC 4180); the byte order mark says UTF-8 to those that would guess. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) =>
    row.map((text) => csvCell(text, { mayBeNumber: true })).join(','),
  );
  return `\ufeff${lines.join('\r\n')}\r\n`;
}

export function download(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

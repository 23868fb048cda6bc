/** A line of RFC 4180: the values of a row in the order of the columns. */
export function csvLine<R extends object>(columns: readonly (keyof R)[], row: R): string {
  return columns.map((column) => csvCell(String(row[column] ?? ''))).join(',');
}

/** What a spreadsheet would take for a formula is given to it as text. */
function csvCell(text: string): string {
  const safe = /^[=+@\t\r]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * How a list becomes CSV: which member of the answer has its items, and what of each is a column.
 */
export type CsvForm = {
  readonly items: string;
  /** Where a column is in an item; members of members stand behind a dot. */
  readonly columns: readonly string[];
  /** Columns of exact numbers, which no spreadsheet takes for a formula. */
  readonly numbers: ReadonlySet<string>;
};

/** Columns by their names, with blanks between them. */
export function csvForm(items: string, columns: string, numbers = ''): CsvForm {
  const names = (text: string) => text.split(/\s+/).filter((name) => name !== '');
  return { items, columns: names(columns), numbers: new Set(names(numbers)) };
}

import type { ReactNode } from 'react';

/** One column: a plain function from the row, called for the rows that are in view. */
export type Column<Row> = {
  key: string;
  label: string;
  /** As text, for CSV; also what is shown where there is no `cell`. */
  text: (row: Row) => string;
  cell?: (row: Row) => ReactNode;
  /** In pixels; 160 when left out. */
  width?: number;
  numeric?: boolean;
};

export function widthOf(columns: readonly Column<never>[]): number {
  return columns.reduce((sum, { width = 160 }) => sum + width, 0);
}

import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { ScrollBox } from './scroll-box.tsx';

/** What stands above it, what is in it, and on which side: numbers stand at the end. */
export type SmallColumn<Row> = readonly [
  label: string,
  cell: (row: Row) => ReactNode,
  align?: 'end',
];

/** A few rows, whole on the page; what may be many is a DataList. */
export function SmallTable<Row>({
  caption,
  rows,
  columns,
  idOf,
  minWidth,
}: {
  caption: string;
  rows: readonly Row[];
  columns: readonly SmallColumn<Row>[];
  idOf: (row: Row) => string;
  /** Pixels below which it scrolls; absent: as narrow as its words allow. */
  minWidth?: number;
}) {
  return (
    <ScrollBox name={caption}>
      <Table fz="sm" {...(minWidth !== undefined && { miw: minWidth })}>
        <caption className="visually-hidden">{caption}</caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map(([label, , align]) => (
              <Table.Th key={label} scope="col" ta={align ?? 'start'}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={idOf(row)}>
              {columns.map(([label, cell, align]) => (
                <Table.Td key={label} ta={align ?? 'start'}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A few rows, whole on the page; what may be many is a DataList. */
export function SmallTable<Row>({
  caption,
  rows,
  columns,
  idOf,
}: {
  caption: string;
  rows: readonly Row[];
  columns: readonly (readonly [string, (row: Row) => ReactNode])[];
  idOf: (row: Row) => string;
}) {
  return (
    <div className="small-table" role="region" aria-label={caption} tabIndex={0}>
      <Table>
        <caption className="visually-hidden">{caption}</caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map(([label]) => (
              <Table.Th key={label} scope="col">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={idOf(row)}>
              {columns.map(([label, cell]) => (
                <Table.Td key={label}>{cell(row)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../../parts/amount.tsx';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { Part } from '../../parts/part.tsx';
import { place } from './place.ts';
import { peopleTexts } from './texts.ts';

/** What the ledger has of a recipient, month by month. */
export function Statements({ userId }: { userId: string }) {
  const t = useTexts(peopleTexts);
  const { tenantId } = usePlace(place);
  const path = { tenantId, recipientId: userId };
  const { data } = useQuery(apiQuery('listStatements', { path }));
  if (data === undefined || data.statements.length === 0) return null;
  return (
    <Part title={t.statements}>
      <ScrollBox name={t.statements}>
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.month}</Table.Th>
              <Table.Th ta="end">{t.postings}</Table.Th>
              <Table.Th ta="end">{t.promised}</Table.Th>
              <Table.Th ta="end">{t.granted}</Table.Th>
              <Table.Th ta="end">{t.closing}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.statements.map(({ month, postings, promised, granted, closing }) => (
              <Table.Tr key={month}>
                <Table.Td>{month}</Table.Td>
                <Table.Td ta="end">{postings}</Table.Td>
                <Table.Td ta="end">
                  <Amount value={promised} />
                </Table.Td>
                <Table.Td ta="end">
                  <Amount value={granted} />
                </Table.Td>
                <Table.Td ta="end">
                  <Amount value={closing.owed} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </Part>
  );
}

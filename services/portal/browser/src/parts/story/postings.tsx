import { Table, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../amount.tsx';
import { CustomerText } from '../customer-text.tsx';
import { ScrollBox } from '../scroll-box.tsx';
import { Time } from '../time.tsx';
import { storyTexts } from './texts.ts';

export type Posting = AnswerOf<'listPostings'>['postings'][number];

/** Postings of the ledger, entry by entry. */
export function Postings({ of }: { of: readonly Posting[] }) {
  const t = useTexts(storyTexts);
  return (
    <ScrollBox name={t.postings}>
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.postings}</Table.Th>
            <Table.Th>{t.recipient}</Table.Th>
            <Table.Th>{t.account}</Table.Th>
            <Table.Th>{t.campaign}</Table.Th>
            <Table.Th ta="end">{t.issuedCredits}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.flatMap(({ postingId, at, recipientId, entries }) =>
            entries.map(({ account, campaignId, credits }, index) => (
              <Table.Tr key={`${postingId} ${index}`}>
                <Table.Td>{index === 0 && <Time at={at} />}</Table.Td>
                <Table.Td>{index === 0 && <CustomerText text={recipientId} />}</Table.Td>
                <Table.Td>{t.accounts[account]}</Table.Td>
                <Table.Td>
                  <CustomerText text={campaignId} />
                </Table.Td>
                <Table.Td ta="end">
                  <Amount value={credits} />
                </Table.Td>
              </Table.Tr>
            )),
          )}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed">
        {t.sum}
      </Text>
    </ScrollBox>
  );
}

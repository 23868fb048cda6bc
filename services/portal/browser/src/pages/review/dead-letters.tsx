import { Group, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from './place.ts';
import { reviewTexts } from './texts.ts';

type DeadLetter = AnswerOf<'listDeadLetters'>['deadLetters'][number];

/** Records that break their own contract, of all tenants: they are the operators' to mend. */
export function DeadLetters() {
  const t = useTexts(reviewTexts);
  const query = { status: 'open' as const, order: 'oldest' as const };
  return (
    <DataList
      place={place}
      caption={t.tabs['dead-letters']}
      empty={t.emptyDeadLetters}
      source={{ name: 'listDeadLetters', asked: { query }, rowsOf }}
      columns={useColumns()}
      idOf={(row) => row.itemId}
      detailTitle={(id, row) => (row ? originOf(row) : id)}
      detail={(itemId, row) => <Detail itemId={itemId} row={row} />}
    />
  );
}

const rowsOf = (answer: AnswerOf<'listDeadLetters'>) => answer.deadLetters;

function originOf({ origin: { topic, partition, offset } }: DeadLetter): string {
  return `${topic}/${partition} ${offset}`;
}

function Detail({ itemId, row }: { itemId: string; row: DeadLetter | undefined }) {
  const t = useTexts(reviewTexts);
  const common = useTexts(commonTexts);
  const fields = [{ key: 'note', label: common.note, kind: 'lines' as const }];
  const asked = ({ note }: Readonly<Record<string, string>>) => ({
    path: { itemId },
    body: note ? { note } : {},
  });
  return (
    <Stack>
      <Group gap="xs">
        <ActionButton
          name="redriveDeadLetter"
          label={t.redrive}
          title={t.redrive}
          text={t.redriveText}
          fields={fields}
          done={t.redriven}
          asked={asked}
        />
        <ActionButton
          name="discardDeadLetter"
          label={t.discard}
          title={t.discard}
          text={t.discardText}
          fields={fields}
          danger
          done={t.discarded}
          asked={asked}
        />
      </Group>
      {row?.readers.map(({ reader, detail, putAsideAt }) => (
        <Text size="sm" key={reader}>
          <Time at={putAsideAt} /> {reader}: <CustomerText text={detail} />
        </Text>
      ))}
    </Stack>
  );
}

function useColumns(): Column<DeadLetter>[] {
  const t = useTexts(reviewTexts);
  return useMemo(
    () => [
      {
        key: 'since',
        label: t.since,
        text: (row) => row.origin.at,
        cell: (row) => <Time at={row.origin.at} />,
        width: 180,
      },
      { key: 'record', label: t.record, text: originOf, width: 300 },
      {
        key: 'putAside',
        label: t.putAside,
        text: (row) => row.readers.map(({ reader }) => reader).join(', '),
        width: 240,
      },
      {
        key: 'reason',
        label: t.reason,
        text: (row) => [...new Set(row.readers.map(({ reason }) => reason))].join(', '),
      },
    ],
    [t],
  );
}

import { Title } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../../parts/amount.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../../parts/filters.tsx';
import { optionsOf } from '../../parts/options-of.ts';
import { place } from './place.ts';
import { previewTexts } from './texts.ts';

type Change = AnswerOf<'listChanges'>['changes'][number];

const filters = ['kind', 'rule', 'recipient', 'month'] as const;

/** Each reward that would differ, before and after. */
export function Changes({ previewId }: { previewId: string }) {
  const t = useTexts(previewTexts);
  const { with: _other, ...query } = usePlace(place).search;
  return (
    <>
      <Title order={2} size="h4">
        {t.changes}
      </Title>
      <FilterBar place={place} names={filters}>
        <SelectFilter place={place} name="kind" label={t.kind} options={optionsOf(t.kinds)} />
        <TextFilter place={place} name="rule" label={t.rule} />
        <TextFilter place={place} name="recipient" label={t.recipient} />
        <TextFilter place={place} name="month" label={t.month} />
      </FilterBar>
      <DataList
        place={place}
        caption={t.changes}
        empty={t.noChanges}
        source={{ name: 'listChanges', asked: { path: { previewId }, query }, rowsOf }}
        columns={useColumns()}
        idOf={(row) => row.rewardId}
        filters={filters}
      />
    </>
  );
}

const rowsOf = (answer: AnswerOf<'listChanges'>) => answer.changes;

function useColumns(): Column<Change>[] {
  const t = useTexts(previewTexts);
  return useMemo(
    () => [
      { key: 'kind', label: t.kind, text: (row) => row.kind, cell: (row) => t.kinds[row.kind] },
      { key: 'recipient', label: t.recipient, text: (row) => row.recipientId },
      { key: 'rule', label: t.rule, text: (row) => row.ruleId },
      { key: 'month', label: t.month, text: (row) => row.month, width: 100 },
      {
        key: 'before',
        label: t.before,
        text: (row) => row.before,
        cell: (row) => <Amount value={row.before} />,
        numeric: true,
        width: 120,
      },
      {
        key: 'after',
        label: t.after,
        text: (row) => row.after,
        cell: (row) => <Amount value={row.after} />,
        numeric: true,
        width: 120,
      },
      { key: 'reward', label: t.reward, text: (row) => row.rewardId, width: 300 },
    ],
    [t],
  );
}

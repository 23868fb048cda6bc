import { Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterBar, PeriodFilter, SelectFilter, TextFilter } from '../../parts/filters.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Time } from '../../parts/time.tsx';
import { place, refusalCodes } from './place.ts';
import { requestTexts } from './texts.ts';

type RequestRow = AnswerOf<'listRefusedRequests'>['requests'][number];

const filters = ['code', 'route', 'key', 'from', 'to'] as const;

/**
 * What was refused and why, so that whoever integrates sees their mistakes without a log of theirs.
 */
export function Screen() {
  const t = useTexts(requestTexts);
  const { tenantId, search } = usePlace(place);
  return (
    <PageFrame title={t.title}>
      <Text size="sm">{t.lead}</Text>
      <FilterBar place={place} names={filters}>
        <TextFilter place={place} name="route" label={t.route} />
        <SelectFilter
          place={place}
          name="code"
          label={t.code}
          options={refusalCodes.map((code) => ({ value: code, label: code }))}
        />
        <TextFilter place={place} name="key" label={t.key} />
        <PeriodFilter place={place} />
      </FilterBar>
      <DataList
        place={place}
        caption={t.title}
        empty={t.empty}
        source={{
          name: 'listRefusedRequests',
          asked: { path: { tenantId }, query: search },
          rowsOf,
        }}
        columns={useColumns()}
        idOf={({ service, route, status, code, accessKeyId, firstAt, violations }) =>
          JSON.stringify([service, route, status, code, accessKeyId, firstAt, violations])
        }
        filters={filters}
      />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listRefusedRequests'>) => answer.requests;

function useColumns(): Column<RequestRow>[] {
  const t = useTexts(requestTexts);
  return useMemo(
    () => [
      {
        key: 'lastAt',
        label: t.lastAt,
        text: (row) => row.lastAt,
        cell: (row) => <Time at={row.lastAt} />,
        width: 180,
      },
      { key: 'route', label: t.route, text: (row) => row.route, width: 240 },
      { key: 'status', label: t.status, text: (row) => String(row.status), width: 80 },
      { key: 'code', label: t.code, text: (row) => row.code ?? '', width: 200 },
      {
        key: 'violations',
        label: t.violations,
        text: ({ violations }) =>
          violations.map(({ pointer, code }) => `${pointer} ${code}`).join(', '),
        width: 320,
      },
      {
        key: 'count',
        label: t.count,
        text: (row) => String(row.count),
        numeric: true,
        width: 80,
      },
      { key: 'key', label: t.key, text: (row) => row.accessKeyId ?? '' },
    ],
    [t],
  );
}

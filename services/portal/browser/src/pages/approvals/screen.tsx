import { SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../../parts/actor/actor.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import type { Source } from '../../parts/data-list/use-rows.ts';
import { FilterBar, SelectFilter } from '../../parts/filters.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { ApprovalDetail } from './approval-detail.tsx';
import { approvalStates, place } from './place.ts';
import { approvalTexts } from './texts.ts';

export type Approval = AnswerOf<'listTenantApprovals'>['approvals'][number];

export const tones: Readonly<Record<Approval['state'], Tone>> = {
  pending: 'waiting',
  approved: 'waiting',
  done: 'good',
  failed: 'bad',
  declined: 'quiet',
  expired: 'quiet',
};

const filters = ['state'] as const;

/** Where one person asks and another one decides. */
export function Screen() {
  const t = useTexts(approvalTexts);
  const { tenantId, search, setSearch } = usePlace(place);
  const isOperator = useMay(tenantId, 'deployment');
  const of = isOperator && search.of === 'deployment' ? 'deployment' : 'tenant';
  return (
    <PageFrame title={t.title}>
      <Text size="sm">
        {t.lead} <Wanted />
      </Text>
      {isOperator && (
        <div className="scroll-box">
          <SegmentedControl
            transitionDuration={0}
            aria-label={t.of}
            value={of}
            onChange={(value) => {
              setSearch({ of: value === 'deployment' ? value : undefined, open: undefined });
            }}
            data={[
              { value: 'tenant', label: t.ofTenant },
              { value: 'deployment', label: t.ofDeployment },
            ]}
          />
        </div>
      )}
      <FilterBar place={place} names={filters}>
        <SelectFilter
          place={place}
          name="state"
          label={t.state}
          options={approvalStates.map((value) => ({ value, label: t.states[value] }))}
        />
      </FilterBar>
      {of === 'tenant' ? <OfTenant /> : <OfDeployment />}
    </PageFrame>
  );
}

function OfTenant() {
  const { tenantId, search } = usePlace(place);
  const query = { state: search.state };
  const source = { name: 'listTenantApprovals', asked: { path: { tenantId }, query }, rowsOf };
  return <DataList {...useList()} source={source as Source<'listTenantApprovals', Approval>} />;
}

/** What is of no tenant: generations, previews. */
function OfDeployment() {
  const { search } = usePlace(place);
  const source = { name: 'listApprovals', asked: { query: { state: search.state } }, rowsOf };
  return <DataList {...useList()} source={source as Source<'listApprovals', Approval>} />;
}

function useList() {
  const t = useTexts(approvalTexts);
  return {
    place,
    caption: t.title,
    empty: t.empty,
    columns: useColumns(),
    idOf: (row: Approval) => row.approvalId,
    filters,
    detailTitle: (id: string, row: Approval | undefined) => (row ? nameOf(row, t.actions) : id),
    detail: (id: string, row: Approval | undefined) =>
      row ? <ApprovalDetail key={id} of={row} /> : <Text size="sm">{t.gone}</Text>,
  };
}

const rowsOf = (answer: AnswerOf<'listTenantApprovals'>) => answer.approvals;

/** Whether anything new will wait here. */
function Wanted() {
  const t = useTexts(approvalTexts);
  const { tenantId } = usePlace(place);
  const { data } = useQuery(apiQuery('showSecondPerson', { path: { tenantId } }));
  if (data === undefined) return null;
  if (data.byDeployment) return t.byDeployment;
  return data.required ? t.required : t.notRequired;
}

/** What has no name here is a newer action: it is called as the API calls it. */
export function nameOf({ action }: Approval, names: Readonly<Record<string, string>>): string {
  return names[action] ?? action;
}

function useColumns(): Column<Approval>[] {
  const t = useTexts(approvalTexts);
  return useMemo(
    () => [
      { key: 'action', label: t.action, text: (row) => nameOf(row, t.actions), width: 200 },
      {
        key: 'state',
        label: t.state,
        text: (row) => t.states[row.state],
        cell: (row) => <StateBadge tone={tones[row.state]}>{t.states[row.state]}</StateBadge>,
        width: 200,
      },
      {
        key: 'requestedBy',
        label: t.requestedBy,
        text: (row) => row.requestedBy,
        cell: (row) => <Actor id={row.requestedBy} />,
        width: 260,
      },
      {
        key: 'requestedAt',
        label: t.requestedAt,
        text: (row) => row.requestedAt,
        cell: (row) => <Time at={row.requestedAt} />,
        width: 180,
      },
      {
        key: 'expiresAt',
        label: t.expiresAt,
        text: (row) => row.expiresAt,
        cell: (row) => <Time at={row.expiresAt} />,
        width: 180,
      },
    ],
    [t],
  );
}

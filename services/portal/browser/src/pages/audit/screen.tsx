import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { nameOfActor } from '../../parts/actor/name-of-actor.ts';
import { actorTexts } from '../../parts/actor/texts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterBar, PeriodFilter, TextFilter } from '../../parts/filters.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { EntryDetail } from './entry-detail.tsx';
import { place } from './place.ts';
import { auditTexts } from './texts.ts';

export type Entry = AnswerOf<'listTenantAudit'>['entries'][number];

export const toneOfOutcome: Record<Entry['outcome'], Tone> = {
  ...({ done: 'good', refused: 'waiting', failed: 'bad', unknown: 'bad' } as const),
};

const filters = ['actor', 'action', 'since', 'until'] as const;

/** Who did what in a tenant, and who looked at what is personal. */
export function Screen() {
  const t = useTexts(auditTexts);
  const { tenantId, search } = usePlace(place);
  const { open: _open, ...query } = search;
  return (
    <PageFrame title={t.title}>
      <FilterBar place={place} names={filters}>
        <TextFilter place={place} name="actor" label={t.actorId} />
        <TextFilter place={place} name="action" label={t.action} />
        <PeriodFilter place={place} from="since" to="until" />
      </FilterBar>
      <DataList
        place={place}
        caption={t.title}
        source={{ name: 'listTenantAudit', asked: { path: { tenantId }, query }, rowsOf }}
        columns={useColumns()}
        idOf={(row) => row.entryId}
        filters={filters}
        detailTitle={(id, row) => row?.action ?? id}
        detail={(id, row) => row && <EntryDetail key={id} entry={row} />}
      />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listTenantAudit'>) => answer.entries;

function useColumns(): Column<Entry>[] {
  const t = useTexts(auditTexts);
  const actors = useTexts(actorTexts);
  return useMemo(
    () => [
      {
        key: 'at',
        label: t.at,
        text: (row) => row.at,
        cell: (row) => <Time at={row.at} />,
        width: 180,
      },
      {
        key: 'actor',
        label: t.actor,
        text: (row) => nameOfActor(row, actors),
        cell: (row) => <CustomerText text={nameOfActor(row, actors)} />,
        width: 320,
      },
      { key: 'action', label: t.action, text: (row) => row.action, width: 180 },
      {
        key: 'outcome',
        label: t.outcome,
        text: (row) => row.outcome,
        cell: (row) => (
          <StateBadge tone={toneOfOutcome[row.outcome]}>{t.outcomes[row.outcome]}</StateBadge>
        ),
        width: 130,
      },
      { key: 'target', label: t.target, text: (row) => targetOf(row), width: 280 },
      { key: 'address', label: t.address, text: (row) => row.address, width: 140 },
    ],
    [t, actors],
  );
}

export function targetOf({ target }: Entry): string {
  return Object.entries(target)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}

import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Counts } from '../../parts/counts.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterBar, PeriodFilter, SelectFilter, TextFilter } from '../../parts/filters.tsx';
import { Money } from '../../parts/money.tsx';
import { optionsOf } from '../../parts/options-of.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SavedViews } from '../../parts/saved-views/saved-views.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { storyTexts } from '../../parts/story/texts.ts';
import { type Outcome, outcomeTones } from '../../parts/story/tones.ts';
import { Time } from '../../parts/time.tsx';
import { EventDetail } from './event-detail.tsx';
import { place } from './place.ts';
import { eventTexts } from './texts.ts';

type EventRow = AnswerOf<'listEvents'>['events'][number];

const filters = [
  ...(['type', 'source', 'outcome', 'user', 'referrer', 'campaign', 'code', 'invoice'] as const),
  ...(['from', 'to'] as const),
] as const;

const viewed = [...filters, 'order'] as const;

/** What was reported, what became of it, and the chain of each. */
export function Screen() {
  const t = useTexts(eventTexts);
  const { tenantId, search } = usePlace(place);
  const { open: _open, asOf: _asOf, ...query } = search;
  return (
    <PageFrame title={t.title}>
      <SavedViews place={place} names={viewed} />
      <Filters />
      <MatchingCounts />
      <DataList
        place={place}
        caption={t.title}
        empty={t.empty}
        source={{ name: 'listEvents', asked: { path: { tenantId }, query }, rowsOf }}
        columns={useColumns()}
        idOf={(row) => row.eventId}
        filters={filters}
        detailTitle={t.event}
        detail={(id) => <EventDetail key={id} eventId={id} />}
      />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listEvents'>) => answer.events;

function Filters() {
  const t = useTexts(eventTexts);
  const story = useTexts(storyTexts);
  return (
    <FilterBar place={place} names={filters}>
      <SelectFilter place={place} name="type" label={story.type} options={optionsOf(story.types)} />
      <SelectFilter
        place={place}
        name="outcome"
        label={story.outcome}
        options={optionsOf(story.outcomes)}
      />
      <SelectFilter
        place={place}
        name="source"
        label={story.source}
        options={optionsOf(story.sources)}
      />
      <TextFilter place={place} name="user" label={story.newUser} />
      <TextFilter place={place} name="referrer" label={story.referrer} />
      <TextFilter place={place} name="invoice" label={story.invoice} />
      <TextFilter place={place} name="code" label={story.ucc} />
      <TextFilter place={place} name="campaign" label={story.campaign} />
      <PeriodFilter place={place} />
      <SelectFilter place={place} name="order" label={t.order} options={optionsOf(t.orders)} />
    </FilterBar>
  );
}

function MatchingCounts() {
  const t = useTexts(eventTexts);
  const story = useTexts(storyTexts);
  const { tenantId, search, setSearch } = usePlace(place);
  const { open: _open, asOf: _asOf, order: _order, ...query } = search;
  const { data } = useQuery({
    ...apiQuery('countEvents', { path: { tenantId }, query }),
    placeholderData: (before) => before,
  });
  if (data === undefined) return null;
  return (
    <Counts
      label={t.counts}
      total={data.total}
      groups={data.groups.filter(({ by }) => by === 'outcome')}
      nameOf={(value) => story.outcomes[value as Outcome]}
      onChoose={(value) => setSearch({ outcome: value as Outcome })}
    />
  );
}

function useColumns(): Column<EventRow>[] {
  const t = useTexts(storyTexts);
  return useMemo(
    () => [
      { key: 'event', label: t.event, text: (row) => row.eventId, width: 170 },
      {
        key: 'receivedAt',
        label: t.receivedAt,
        text: (row) => row.receivedAt,
        cell: (row) => <Time at={row.receivedAt} />,
        width: 170,
      },
      {
        key: 'type',
        label: t.type,
        text: (row) => row.eventType ?? '',
        cell: (row) => row.eventType && t.types[row.eventType],
        width: 100,
      },
      {
        key: 'outcome',
        label: t.outcome,
        text: (row) => row.outcome,
        cell: (row) => (
          <StateBadge tone={outcomeTones[row.outcome]}>{t.outcomes[row.outcome]}</StateBadge>
        ),
        width: 140,
      },
      { key: 'newUser', label: t.newUser, text: (row) => row.newUserId ?? '', width: 150 },
      { key: 'referrer', label: t.referrer, text: (row) => row.referrerId ?? '', width: 150 },
      {
        key: 'amount',
        label: t.amount,
        text: (row) => amountText(row),
        cell: (row) => {
          const payment = row.purchase ?? row.refund;
          return payment && <Money minor={payment.amount} currency={payment.currency} />;
        },
        numeric: true,
        width: 140,
      },
      {
        key: 'reason',
        label: t.reason,
        text: (row) => row.reason ?? '',
        cell: (row) => row.reason && t.reasons[row.reason],
        width: 180,
      },
      {
        key: 'invoice',
        label: t.invoice,
        text: (row) => (row.purchase ?? row.refund)?.invoiceId ?? '',
      },
    ],
    [t],
  );
}

function amountText({ purchase, refund }: EventRow): string {
  const payment = purchase ?? refund;
  return payment === undefined ? '' : `${payment.amount} ${payment.currency}`;
}

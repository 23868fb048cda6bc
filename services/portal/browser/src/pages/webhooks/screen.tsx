import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Counts } from '../../parts/counts.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterBar, PeriodFilter, SelectFilter, TextFilter } from '../../parts/filters.tsx';
import { optionsOf } from '../../parts/options-of.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { DeliveryDetail } from './delivery-detail.tsx';
import { Endpoint } from './endpoint.tsx';
import { place } from './place.ts';
import { webhookTexts } from './texts.ts';

type DeliveryRow = AnswerOf<'listDeliveries'>['deliveries'][number];
type State = DeliveryRow['state'];

const filters = ['state', 'recipient', 'since', 'until'] as const;

const tones: Readonly<Record<State, Tone>> = {
  pending: 'waiting',
  delivered: 'good',
  exhausted: 'bad',
  'no-endpoint': 'bad',
};

/** How the receiver fares, and each webhook with its attempts. */
export function Screen() {
  const t = useTexts(webhookTexts);
  const { tenantId, search } = usePlace(place);
  const { open: _open, ...query } = search;
  return (
    <PageFrame title={t.title}>
      <Endpoint />
      <Title order={2} size="h4">
        {t.deliveries}
      </Title>
      <FilterBar place={place} names={filters}>
        <SelectFilter place={place} name="state" label={t.state} options={optionsOf(t.states)} />
        <TextFilter place={place} name="recipient" label={t.recipient} />
        <PeriodFilter place={place} from="since" to="until" />
      </FilterBar>
      <StateCounts />
      <ResendMatching />
      <DataList
        place={place}
        caption={t.deliveries}
        empty={t.emptyDeliveries}
        source={{ name: 'listDeliveries', asked: { path: { tenantId }, query }, rowsOf }}
        columns={useColumns()}
        idOf={(row) => row.webhookEventId}
        filters={filters}
        detailTitle={(id) => `${t.webhookEvent} ${id}`}
        detail={(id) => <DeliveryDetail key={id} webhookEventId={id} />}
      />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listDeliveries'>) => answer.deliveries;

function StateCounts() {
  const t = useTexts(webhookTexts);
  const { tenantId, search, setSearch } = usePlace(place);
  const { open: _open, ...query } = search;
  const { data } = useQuery({
    ...apiQuery('countDeliveries', { path: { tenantId }, query }),
    placeholderData: (before) => before,
  });
  if (data === undefined) return null;
  return (
    <Counts
      label={t.state}
      total={data.total}
      groups={data.groups}
      nameOf={(value) => t.states[value as State]}
      onChoose={(value) => setSearch({ state: value as State })}
    />
  );
}

const resendable = ['pending', 'delivered', 'exhausted'] as const;

/** All of a state that matches the filters, with its number and sum before it is sent. */
function ResendMatching() {
  const t = useTexts(webhookTexts);
  const common = useTexts(commonTexts);
  const { tenantId, search } = usePlace(place);
  const mayResend = useMay(tenantId, 'develop');
  const { recipient, since, until } = search;
  const state = resendable.find((each) => each === search.state);
  const period = { ...(since && { since }), ...(until && { until }) };
  const query = { state: state ?? 'exhausted', ...(recipient && { recipient }), ...period };
  const { data } = useQuery({
    ...apiQuery('countToResend', { path: { tenantId }, query }),
    enabled: mayResend && state !== undefined,
  });
  if (!mayResend || state === undefined || data === undefined || data.count === 0) return null;
  const filter = { state, ...(recipient && { recipientId: recipient }), ...period };
  return (
    <ActionButton
      name="resendDeliveries"
      label={t.bulk}
      title={t.bulk}
      text={t.bulkText(`${data.count}${data.more ? '+' : ''}`, data.credits)}
      fields={[{ key: 'note', label: common.note, kind: 'lines' }]}
      done={t.bulkResent}
      asked={({ note }) => ({
        path: { tenantId },
        body: { ...(note && { note }), filter, seen: { count: data.count, asOf: data.asOf } },
      })}
    />
  );
}

function useColumns(): Column<DeliveryRow>[] {
  const t = useTexts(webhookTexts);
  return useMemo(
    () => [
      { key: 'event', label: t.webhookEvent, text: (row) => row.webhookEventId, width: 220 },
      {
        key: 'state',
        label: t.state,
        text: (row) => row.state,
        cell: (row) => <StateBadge tone={tones[row.state]}>{t.states[row.state]}</StateBadge>,
        width: 130,
      },
      { key: 'recipient', label: t.recipient, text: (row) => row.recipientId },
      {
        key: 'attempts',
        label: t.attempts,
        text: (row) => String(row.attempts),
        numeric: true,
        width: 100,
      },
      {
        key: 'last',
        label: t.lastResult,
        text: (row) => lastResult(row),
      },
      {
        key: 'issuedAt',
        label: t.issuedAt,
        text: (row) => row.issuedAt,
        cell: (row) => <Time at={row.issuedAt} />,
        width: 180,
      },
      {
        key: 'dueAt',
        label: t.dueAt,
        text: (row) => row.dueAt ?? '',
        cell: (row) => <Time at={row.dueAt} />,
        width: 180,
      },
    ],
    [t],
  );
}

function lastResult({ lastAttempt }: DeliveryRow): string {
  if (lastAttempt === undefined) return '';
  const { result, statusCode } = lastAttempt;
  return statusCode === undefined ? result : `${result} ${statusCode}`;
}

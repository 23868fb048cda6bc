import { Title } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { itemIdOf } from '../../parts/item-id.ts';
import { FilterBar, PeriodFilter, SelectFilter, TextFilter } from '../../parts/filters.tsx';
import { Money } from '../../parts/money.tsx';
import { optionsOf } from '../../parts/options-of.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { Connections } from './connections.tsx';
import { place } from './place.ts';
import { paymentTexts } from './texts.ts';

type ItemRow = AnswerOf<'listItems'>['items'][number];

const filters = ['state', 'type', 'customerId', 'since', 'until'] as const;

const tones: Readonly<Record<ItemRow['state'], Tone>> = {
  reported: 'good',
  waiting: 'waiting',
  unmatched: 'bad',
  ignored: 'quiet',
};

/** The connection to the payment processor, and what became of each payment. */
export function Screen() {
  const t = useTexts(paymentTexts);
  const { tenantId, search } = usePlace(place);
  const { open: _open, ...query } = search;
  return (
    <PageFrame
      title={t.title}
      actions={<SameByApi name="listConnections" asked={{ path: { tenantId } }} />}
    >
      <Connections />
      <Title order={2} size="h4">
        {t.items}
      </Title>
      <FilterBar place={place} names={filters}>
        <SelectFilter place={place} name="state" label={t.state} options={optionsOf(t.states)} />
        <SelectFilter place={place} name="type" label={t.type} options={optionsOf(t.types)} />
        <TextFilter place={place} name="customerId" label={t.customer} />
        <PeriodFilter place={place} from="since" to="until" />
      </FilterBar>
      <DataList
        place={place}
        caption={t.items}
        empty={t.emptyItems}
        source={{ name: 'listItems', asked: { path: { tenantId }, query }, rowsOf }}
        columns={useColumns()}
        idOf={itemIdOf}
        filters={filters}
        detailTitle={(id, row) => row?.objectId ?? id}
        detail={(itemId, row) => <Detail itemId={itemId} row={row} />}
      />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listItems'>) => answer.items;

function Detail({ itemId, row }: { itemId: string; row: ItemRow | undefined }) {
  const t = useTexts(paymentTexts);
  const { tenantId } = usePlace(place);
  const mayRetry = useMay(tenantId, 'develop');
  return (
    <>
      {typeof row?.detail === 'string' && <CustomerText text={row.detail} />}
      {mayRetry && row && 'itemId' in row && row.state !== 'reported' && (
        <ActionButton
          name="retryItem"
          label={t.retry}
          title={t.retry}
          text={t.retryText}
          done={t.retried}
          asked={() => ({ path: { tenantId, itemId }, body: {} })}
        />
      )}
    </>
  );
}

function useColumns(): Column<ItemRow>[] {
  const t = useTexts(paymentTexts);
  return useMemo(
    () => [
      { key: 'object', label: t.object, text: (row) => row.objectId ?? '', width: 220 },
      { key: 'type', label: t.type, text: (row) => row.type ?? '', width: 120 },
      {
        key: 'state',
        label: t.state,
        text: (row) => row.state,
        cell: (row) => <StateBadge tone={tones[row.state]}>{t.states[row.state]}</StateBadge>,
        width: 180,
      },
      { key: 'customer', label: t.customer, text: (row) => row.customerId ?? '' },
      {
        key: 'amount',
        label: t.amount,
        text: (row) => (row.amount === null ? '' : `${row.amount} ${row.currency ?? ''}`),
        cell: (row) =>
          row.amount === null || row.currency === null ? null : (
            <Money minor={row.amount} currency={row.currency} />
          ),
        numeric: true,
        width: 140,
      },
      { key: 'because', label: t.because, text: (row) => row.reason ?? '', width: 220 },
      {
        key: 'since',
        label: t.knownSince,
        text: (row) => row.knownSince ?? '',
        cell: (row) => <Time at={row.knownSince} />,
        width: 180,
      },
    ],
    [t],
  );
}

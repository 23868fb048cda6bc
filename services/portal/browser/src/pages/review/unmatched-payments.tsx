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
import { Time } from '../../parts/time.tsx';
import { place } from './place.ts';
import { reviewTexts } from './texts.ts';

type ItemRow = AnswerOf<'listItems'>['items'][number];

/** Payments whose customer nobody has named yet. */
export function UnmatchedPayments() {
  const t = useTexts(reviewTexts);
  const { tenantId } = usePlace(place);
  const mayRetry = useMay(tenantId, 'develop');
  const query = { state: 'unmatched' as const };
  return (
    <DataList
      place={place}
      caption={t.tabs.payments}
      empty={t.emptyPayments}
      source={{ name: 'listItems', asked: { path: { tenantId }, query }, rowsOf }}
      columns={useColumns()}
      idOf={itemIdOf}
      detailTitle={(_id, row) => row?.objectId ?? t.object}
      detail={(itemId, row) => (
        <>
          {row?.detail !== undefined && <CustomerText text={row.detail} />}
          {mayRetry && (
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
      )}
    />
  );
}

const rowsOf = (answer: AnswerOf<'listItems'>) => answer.items;

function useColumns(): Column<ItemRow>[] {
  const t = useTexts(reviewTexts);
  return useMemo(
    () => [
      { key: 'object', label: t.object, text: (row) => row.objectId ?? '', width: 220 },
      { key: 'customer', label: t.customer, text: (row) => row.customerId ?? '' },
      { key: 'reason', label: t.reason, text: (row) => row.reason ?? '', width: 240 },
      {
        key: 'since',
        label: t.since,
        text: (row) => row.knownSince ?? '',
        cell: (row) => <Time at={row.knownSince} />,
        width: 180,
      },
    ],
    [t],
  );
}

import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../../parts/amount.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterBar, PeriodFilter, TextFilter } from '../../parts/filters.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Time } from '../../parts/time.tsx';
import { place as rewards } from '../rewards/place.ts';
import { Balance } from './balance.tsx';
import { place } from './place.ts';
import { ledgerTexts } from './texts.ts';

type Issuance = AnswerOf<'listIssuances'>['issuances'][number];

const filters = ['recipient', 'campaign', 'reward', 'from', 'to'] as const;

/** What was issued; with a recipient and a period, that is a statement, which CSV takes along. */
export function Screen() {
  const t = useTexts(ledgerTexts);
  const { tenantId, search } = usePlace(place);
  return (
    <PageFrame title={t.title}>
      <FilterBar place={place} names={filters}>
        <TextFilter place={place} name="recipient" label={t.recipient} />
        <TextFilter place={place} name="campaign" label={t.campaign} />
        <TextFilter place={place} name="reward" label={t.reward} />
        <PeriodFilter place={place} />
      </FilterBar>
      {search.recipient !== undefined && <Balance recipientId={search.recipient} />}
      <DataList
        place={place}
        caption={t.title}
        empty={t.empty}
        source={{ name: 'listIssuances', asked: { path: { tenantId }, query: search }, rowsOf }}
        columns={useColumns(tenantId)}
        idOf={(row) => row.issuanceId}
        filters={filters}
      />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listIssuances'>) => answer.issuances;

function useColumns(tenantId: string): Column<Issuance>[] {
  const t = useTexts(ledgerTexts);
  return useMemo(
    () => [
      {
        key: 'issuedAt',
        label: t.issuedAt,
        text: (row) => row.issuedAt,
        cell: (row) => <Time at={row.issuedAt} />,
        width: 180,
      },
      { key: 'recipient', label: t.recipient, text: (row) => row.recipientId },
      { key: 'campaign', label: t.campaign, text: (row) => row.campaignId },
      {
        key: 'credits',
        label: t.credits,
        text: (row) => row.credits,
        cell: (row) => <Amount value={row.credits} />,
        numeric: true,
        width: 120,
      },
      {
        key: 'reward',
        label: t.reward,
        text: (row) => row.rewardId,
        cell: (row) => (
          <PlaceLink to={rewards} tenantId={tenantId} search={{ open: row.rewardId }}>
            <CustomerText text={row.rewardId} />
          </PlaceLink>
        ),
        width: 220,
      },
      { key: 'issuance', label: t.issuance, text: (row) => row.issuanceId, width: 220 },
      { key: 'webhook', label: t.webhook, text: (row) => row.webhookEventId, width: 220 },
    ],
    [t, tenantId],
  );
}

import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../../parts/amount.tsx';
import { DataList } from '../../parts/data-list/data-list.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { FilterBar, PeriodFilter, SelectFilter, TextFilter } from '../../parts/filters.tsx';
import { optionsOf } from '../../parts/options-of.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from './place.ts';
import { RewardDetail } from './reward-detail.tsx';
import { rewardTones } from '../../parts/story/tones.ts';
import { rewardTexts } from './texts.ts';

export type RewardRow = AnswerOf<'listRewards'>['rewards'][number];

const filters = ['state', 'role', 'recipient', 'campaign', 'rule', 'from', 'to'] as const;

/** Every reward of a tenant: what it is waiting for, why it is what it is, and what can be done. */
export function Screen() {
  const t = useTexts(rewardTexts);
  const { tenantId, search } = usePlace(place);
  const { open: _open, ...query } = search;
  return (
    <PageFrame title={t.title}>
      <Filters />
      <DataList
        place={place}
        caption={t.title}
        empty={t.empty}
        source={{ name: 'listRewards', asked: { path: { tenantId }, query }, rowsOf }}
        columns={useColumns()}
        idOf={(row) => row.rewardId}
        filters={filters}
        detailTitle={(id) => `${t.reward} ${id}`}
        detail={(id, row) => <RewardDetail key={id} rewardId={id} row={row} />}
      />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listRewards'>) => answer.rewards;

function Filters() {
  const t = useTexts(rewardTexts);
  return (
    <FilterBar place={place} names={filters}>
      <SelectFilter place={place} name="state" label={t.state} options={optionsOf(t.states)} />
      <SelectFilter place={place} name="role" label={t.role} options={optionsOf(t.roles)} />
      <TextFilter place={place} name="recipient" label={t.recipient} />
      <TextFilter place={place} name="campaign" label={t.campaign} />
      <PeriodFilter place={place} />
    </FilterBar>
  );
}

function useColumns(): Column<RewardRow>[] {
  const t = useTexts(rewardTexts);
  return useMemo(
    () => [
      { key: 'reward', label: t.reward, text: (row) => row.rewardId, width: 220 },
      {
        key: 'state',
        label: t.state,
        text: (row) => row.state,
        cell: (row) => <StateBadge tone={rewardTones[row.state]}>{t.states[row.state]}</StateBadge>,
      },
      { key: 'recipient', label: t.recipient, text: (row) => row.recipientId },
      {
        key: 'entitled',
        label: t.entitled,
        text: (row) => row.entitledCredits,
        cell: (row) => <Amount value={row.entitledCredits} />,
        numeric: true,
        width: 120,
      },
      {
        key: 'issued',
        label: t.issued,
        text: (row) => row.issuedCredits,
        cell: (row) => <Amount value={row.issuedCredits} />,
        numeric: true,
        width: 150,
      },
      { key: 'rule', label: t.rule, text: (row) => row.ruleId },
      { key: 'campaign', label: t.campaign, text: (row) => row.campaignId },
      {
        key: 'role',
        label: t.role,
        text: (row) => row.recipientRole,
        cell: (row) => t.roles[row.recipientRole],
        width: 120,
      },
      {
        key: 'recordedAt',
        label: t.recordedAt,
        text: (row) => row.recordedAt,
        cell: (row) => <Time at={row.recordedAt} />,
        width: 180,
      },
    ],
    [t],
  );
}

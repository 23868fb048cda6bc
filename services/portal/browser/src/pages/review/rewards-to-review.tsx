import { Group } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Amount } from '../../parts/amount.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterBar, TextFilter } from '../../parts/filters.tsx';
import {
  noteOf,
  RewardDecision,
  type RewardDecisionKind,
} from '../../parts/reward-decision/reward-decision.tsx';
import { Arithmetic } from '../../parts/story/reward-story.tsx';
import { Tests } from '../../parts/story/tests.tsx';
import { Time } from '../../parts/time.tsx';
import { place as rewardsPlace } from '../rewards/place.ts';
import { place } from './place.ts';
import { reviewTexts } from './texts.ts';

type RewardRow = AnswerOf<'listRewards'>['rewards'][number];

/** Rewards that an operator must release or withhold, one by one or all that match. */
export function RewardsToReview() {
  const t = useTexts(reviewTexts);
  const { tenantId, search } = usePlace(place);
  const mayReview = useMay(tenantId, 'review');
  const { campaign, recipient } = search;
  const query = {
    state: 'review' as const,
    order: 'oldest' as const,
    ...(campaign && { campaign }),
    ...(recipient && { recipient }),
  };
  return (
    <>
      <FilterBar place={place} names={['campaign', 'recipient']}>
        <TextFilter place={place} name="campaign" label={t.campaign} />
        <TextFilter place={place} name="recipient" label={t.recipient} />
      </FilterBar>
      {mayReview && (
        <Group gap="xs">
          <DecideAll kind="release" />
          <DecideAll kind="withhold" />
        </Group>
      )}
      <DataList
        place={place}
        caption={t.tabs.rewards}
        empty={t.emptyRewards}
        source={{ name: 'listRewards', asked: { path: { tenantId }, query }, rowsOf }}
        columns={useColumns()}
        idOf={(row) => row.rewardId}
        filters={['campaign', 'recipient']}
        detailTitle={(id) => `${t.reward} ${id}`}
        detail={(id, row) => <Detail rewardId={id} row={row} mayReview={mayReview} />}
      />
    </>
  );
}

const rowsOf = (answer: AnswerOf<'listRewards'>) => answer.rewards;

function Detail({
  rewardId,
  row,
  mayReview,
}: {
  rewardId: string;
  row: RewardRow | undefined;
  mayReview: boolean;
}) {
  const t = useTexts(reviewTexts);
  const { tenantId } = usePlace(place);
  const path = { tenantId, rewardId };
  return (
    <>
      {mayReview && (
        <Group gap="xs">
          <RewardDecision kind="release" path={path} />
          <RewardDecision kind="withhold" path={path} />
        </Group>
      )}
      {row && <Arithmetic of={row.calculation} />}
      {row && <Tests of={row.tests} />}
      <PlaceLink to={rewardsPlace} tenantId={tenantId} search={{ open: rewardId }}>
        {t.chain}
      </PlaceLink>
    </>
  );
}

function useFilters() {
  const { search } = usePlace(place);
  const { campaign, recipient } = search;
  return {
    query: {
      state: 'review' as const,
      ...(campaign && { campaign }),
      ...(recipient && { recipient }),
    },
    filter: {
      state: 'review' as const,
      ...(campaign && { campaignId: campaign }),
      ...(recipient && { recipientId: recipient }),
    },
  };
}

/** Says how many and how much before anything is done; more than was seen is refused by the API. */
function DecideAll({ kind }: { kind: RewardDecisionKind }) {
  const t = useTexts(reviewTexts);
  const common = useTexts(commonTexts);
  const { tenantId } = usePlace(place);
  const { query, filter } = useFilters();
  const { data } = useQuery(
    apiQuery(kind === 'release' ? 'countToRelease' : 'countToWithhold', {
      path: { tenantId },
      query,
    }),
  );
  if (data === undefined || data.count === 0) return null;
  const { count, credits, more, asOf } = data;
  return (
    <ActionButton
      name={kind === 'release' ? 'releaseReviewedRewards' : 'withholdRewards'}
      label={t.decideAll[kind]}
      title={t.decideAll[kind]}
      text={t.bulkText(more ? `${count}+` : String(count), credits)}
      fields={[{ key: 'note', label: common.note, kind: 'lines' }]}
      done={t.bulkDone}
      asked={(values) => ({
        path: { tenantId },
        body: { ...noteOf(values), filter, seen: { count, credits, asOf } },
      })}
    />
  );
}

function useColumns(): Column<RewardRow>[] {
  const t = useTexts(reviewTexts);
  return useMemo(
    () => [
      {
        key: 'since',
        label: t.since,
        text: (row) => row.recordedAt,
        cell: (row) => <Time at={row.recordedAt} />,
        width: 180,
      },
      { key: 'recipient', label: t.recipient, text: (row) => row.recipientId },
      { key: 'campaign', label: t.campaign, text: (row) => row.campaignId },
      {
        key: 'credits',
        label: t.credits,
        text: (row) => row.entitledCredits,
        cell: (row) => <Amount value={row.entitledCredits} />,
        numeric: true,
        width: 120,
      },
      {
        key: 'because',
        label: t.because,
        text: (row) => (row.reviewReasons ?? []).join(', '),
        width: 240,
      },
    ],
    [t],
  );
}

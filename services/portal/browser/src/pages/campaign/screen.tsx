import { SegmentedControl, Text } from '@mantine/core';
import { ProblemError } from '@tributary/admin-client/problem-error';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { Failed, Loading, Stale } from '../../parts/states.tsx';
import { place } from './place.ts';
import { Revisions } from './revisions.tsx';
import { Rules } from './rules.tsx';
import { campaignTexts } from './texts.ts';
import { Trial } from './trial.tsx';

const tabs = ['rules', 'try', 'revisions'] as const;

/** A campaign: its rules as JSON and in words, an event tried on it, its revisions. */
export function Screen() {
  const t = useTexts(campaignTexts);
  const { tenantId, params, search, setSearch } = usePlace(place);
  const campaignId = params['campaignId'] ?? '';
  const asked = { path: { tenantId, campaignId } };
  const query = useQuery(apiQuery('showCampaign', asked));
  const { data, error, isPending } = query;
  const tab = search.tab ?? 'rules';
  // One that does not exist yet is being written: its first revision comes of this page.
  const isNew = error instanceof ProblemError && error.problem.status === 404;
  return (
    <PageFrame
      title={t.title(campaignId)}
      actions={<SameByApi name="showCampaign" asked={asked} />}
    >
      <SegmentedControl
        transitionDuration={0}
        value={tab}
        onChange={(value) => setSearch({ tab: value })}
        data={tabs.map((value) => ({ value, label: t.tabs[value] }))}
      />
      {isPending && <Loading />}
      {error && !isNew && data === undefined && (
        <Failed error={error} onRetry={() => void query.refetch()} />
      )}
      {data && <Stale error={error} updatedAt={query.dataUpdatedAt} />}
      {data && (
        <Text size="sm">
          {data.revisionInForce === null ? t.noneInForce : t.inForce(data.revisionInForce)}
        </Text>
      )}
      {(data || isNew) && tab === 'rules' && (
        <Rules key={campaignId} campaignId={campaignId} newest={newestOf(data?.revisions)} />
      )}
      {data && tab === 'try' && <Trial campaignId={campaignId} />}
      {data && tab === 'revisions' && <Revisions revisions={data.revisions} />}
    </PageFrame>
  );
}

function newestOf<R extends { revision: number }>(revisions: readonly R[] = []): R | undefined {
  return revisions.reduce<R | undefined>(
    (newest, each) => (newest === undefined || each.revision > newest.revision ? each : newest),
    undefined,
  );
}

import { Group, List, Stack, Text } from '@mantine/core';
import type { VerifyResult } from '@tributary/contracts/admin/replay-results';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Json } from '../../parts/json.tsx';
import { JobProgress } from '../../parts/job-progress.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Part } from '../../parts/part.tsx';
import { Time } from '../../parts/time.tsx';
import { place as previewPlace } from '../preview/place.ts';
import { place } from './place.ts';
import type { Job } from './screen.tsx';
import { replayTexts } from './texts.ts';

/**
 * A job, followed while it runs: it goes on when this is closed, and is found again in the list.
 */
export function JobDetail({ jobId }: { jobId: string }) {
  const t = useTexts(replayTexts);
  const { tenantId } = usePlace(place);
  const { data, error, isPending, refetch } = useQuery({
    ...apiQuery('showJob', { path: { jobId } }),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? 1_000 : false),
  });
  if (isPending) return <Loading />;
  if (data === undefined) return error && <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <Stack>
      <Text role="status">
        {data.kind}: {t.jobStatuses[data.status]}
      </Text>
      {data.progress && isUnderWay(data) && (
        <JobProgress of={data.progress} label={t.progress(data.progress.phase)} />
      )}
      {isUnderWay(data) && (
        <Group>
          <ActionButton
            name="cancelJob"
            label={t.cancel}
            title={t.cancel}
            text={t.cancelText}
            done={t.cancelled}
            asked={() => ({ path: { jobId }, body: {} })}
          />
        </Group>
      )}
      {data.error !== undefined && <CustomerText text={data.error} />}
      {data.kind === 'preview' && (
        <PlaceLink to={previewPlace} tenantId={tenantId} params={{ previewId: jobId }}>
          {t.preview}
        </PlaceLink>
      )}
      {data.status === 'done' && data.kind !== 'preview' && <Result of={data} />}
      <Part title={t.history}>
        <List size="sm">
          {data.history.map(({ at, line }, index) => (
            <List.Item key={index}>
              <Time at={at} /> <CustomerText text={line} />
            </List.Item>
          ))}
        </List>
      </Part>
    </Stack>
  );
}

function isUnderWay(job: Job | undefined): boolean {
  return job?.status === 'queued' || job?.status === 'running';
}

function Result({ of: { kind, result } }: { of: Job }) {
  const t = useTexts(replayTexts);
  const verified = kind === 'verify' ? (result as VerifyResult) : undefined;
  return (
    <Part title={t.result}>
      {verified && (
        <Text>
          {verified.outcome === 'identical' ? t.identical : t.different(verified.differences.count)}
        </Text>
      )}
      <Json value={result} label={t.result} />
    </Part>
  );
}

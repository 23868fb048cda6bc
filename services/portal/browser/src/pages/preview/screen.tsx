import { Group, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../../parts/actor/actor.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { JobProgress } from '../../parts/job-progress.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Part } from '../../parts/part.tsx';
import { Changes } from './changes.tsx';
import { Compare } from './compare.tsx';
import { place } from './place.ts';
import type { Report } from './report-view.tsx';
import { previewTexts } from './texts.ts';

type Preview = AnswerOf<'showPreview'>;

/** A preview: how far it is, what it shows, and its commit. The kept report never changes. */
export function Screen() {
  const t = useTexts(previewTexts);
  const { params } = usePlace(place);
  const previewId = params['previewId'] ?? '';
  const asked = { path: { previewId } };
  const { data, error, isPending, refetch } = useQuery({
    ...apiQuery('showPreview', asked),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? 1_000 : false),
  });
  return (
    <PageFrame title={t.title} actions={<SameByApi name="showPreview" asked={asked} />}>
      {isPending && <Loading />}
      {data === undefined && error && <Failed error={error} onRetry={() => void refetch()} />}
      {data && <Status of={data} previewId={previewId} />}
      {data?.status === 'done' && (
        <>
          <Compare of={data.result as Report} previewId={previewId} />
          <Committed of={data} previewId={previewId} />
          <Changes previewId={previewId} />
        </>
      )}
    </PageFrame>
  );
}

function isUnderWay(preview: Preview | undefined): boolean {
  if (preview === undefined) return false;
  const { status, commit, check } = preview;
  const isChecked = check !== null && check.status !== 'queued' && check.status !== 'running';
  return status === 'queued' || status === 'running' || (commit !== null && !isChecked);
}

function Status({ of, previewId }: { of: Preview; previewId: string }) {
  const t = useTexts(previewTexts);
  const isRunning = of.status === 'queued' || of.status === 'running';
  return (
    <Stack gap="xs">
      <Text role="status">
        {t.statuses[of.status]}. {t.by} <Actor id={of.by} inSentence />
        {isRunning && `. ${t.leave}`}
      </Text>
      {of.progress && isRunning && (
        <JobProgress of={of.progress} label={t.progress(of.progress.phase)} />
      )}
      {of.error !== undefined && <CustomerText text={of.error} />}
      {isRunning && (
        <Group>
          <ActionButton
            name="cancelJob"
            label={t.cancel}
            title={t.cancel}
            text={t.cancelText}
            done={t.cancelled}
            asked={() => ({ path: { jobId: previewId }, body: {} })}
          />
        </Group>
      )}
    </Stack>
  );
}

function Committed({ of: { commit, check }, previewId }: { of: Preview; previewId: string }) {
  const t = useTexts(previewTexts);
  const common = useTexts(commonTexts);
  if (commit === null) {
    return (
      <Group>
        <ActionButton
          name="commitPreview"
          variant="filled"
          label={t.commit}
          title={t.commit}
          text={t.commitText}
          fields={[{ key: 'note', label: common.note, kind: 'lines' }]}
          done={t.committed}
          asked={({ note }) => ({ path: { previewId }, body: note ? { note } : {} })}
        />
      </Group>
    );
  }
  return (
    <Part title={t.check}>
      <Text role="status">
        {t.committedAs(commit.revision)} {checkText(check)}
      </Text>
    </Part>
  );

  function checkText(job: Preview['check']): string {
    if (job === null || job.status === 'queued' || job.status === 'running') return t.checkRuns;
    const { previewHolds } = (job.result ?? {}) as { previewHolds?: boolean };
    return previewHolds === true ? t.checkHolds : t.checkDiffers;
  }
}

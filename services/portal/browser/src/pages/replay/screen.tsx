import { Group, Text, Title } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../../parts/actor/actor.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { Generations } from './generations.tsx';
import { JobDetail } from './job-detail.tsx';
import { place } from './place.ts';
import { replayTexts } from './texts.ts';

export type Job = AnswerOf<'listJobs'>['jobs'][number];

const tones: Readonly<Record<Job['status'], Tone>> = {
  queued: 'waiting',
  running: 'waiting',
  done: 'good',
  failed: 'bad',
  cancelled: 'quiet',
};

/** Generations of the state, and the jobs that prove or rebuild it. */
export function Screen() {
  const t = useTexts(replayTexts);
  return (
    <PageFrame title={t.title}>
      <Text size="sm">{t.lead}</Text>
      <Group gap="xs">
        <ActionButton
          name="startVerification"
          variant="filled"
          label={t.verify}
          title={t.verify}
          text={t.verifyText}
          done={t.verifyStarted}
          asked={() => ({ body: { kind: 'verify' } })}
        />
        <ActionButton
          name="startRebuild"
          label={t.rebuild}
          title={t.rebuild}
          text={t.rebuildText}
          done={t.rebuildStarted}
          asked={() => ({ body: {} })}
        />
        <ActionButton
          name="startRollback"
          label={t.rollback}
          title={t.rollback}
          text={t.rollbackText}
          danger
          done={t.rollbackStarted}
          asked={() => ({ body: {} })}
        />
      </Group>
      <Generations />
      <Title order={2} size="h4">
        {t.jobs}
      </Title>
      <DataList
        place={place}
        caption={t.jobs}
        empty={t.emptyJobs}
        source={{ name: 'listJobs', asked: { query: {} }, rowsOf }}
        columns={useColumns()}
        idOf={(row) => row.jobId}
        detailTitle={(id) => `${t.job} ${id}`}
        detail={(id) => <JobDetail key={id} jobId={id} />}
      />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listJobs'>) => answer.jobs;

function useColumns(): Column<Job>[] {
  const t = useTexts(replayTexts);
  return useMemo(
    () => [
      { key: 'job', label: t.job, text: (row) => row.jobId, width: 220 },
      { key: 'kind', label: t.kind, text: (row) => row.kind, width: 120 },
      {
        key: 'status',
        label: t.status,
        text: (row) => row.status,
        cell: (row) => (
          <StateBadge tone={tones[row.status]}>{t.jobStatuses[row.status]}</StateBadge>
        ),
        width: 120,
      },
      { key: 'by', label: t.by, text: (row) => row.by, cell: (row) => <Actor id={row.by} /> },
      {
        key: 'createdAt',
        label: t.createdAt,
        text: (row) => row.createdAt,
        cell: (row) => <Time at={row.createdAt} />,
        width: 180,
      },
    ],
    [t],
  );
}

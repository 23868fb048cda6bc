import { NativeSelect, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Answered } from '../../parts/answered.tsx';
import { formatInstant, timeZone } from '../../parts/times.ts';
import { place } from './place.ts';
import { type Report, ReportView } from './report-view.tsx';
import { previewTexts } from './texts.ts';

type Job = AnswerOf<'listJobs'>['jobs'][number];

/** The report, alone or beside that of another preview of the same campaign. */
export function Compare({ of, previewId }: { of: Report; previewId: string }) {
  const { search } = usePlace(place);
  return (
    <Stack>
      <Choice of={of} previewId={previewId} />
      {search.with === undefined ? (
        <ReportView of={of} />
      ) : (
        <Beside of={of} otherId={search.with} />
      )}
    </Stack>
  );
}

function Choice({ of, previewId }: { of: Report; previewId: string }) {
  const t = useTexts(previewTexts);
  const zone = timeZone.use();
  const { search, setSearch } = usePlace(place);
  const jobs = useQuery(apiQuery('listJobs', { query: { limit: 200 } }));
  return (
    <Answered of={jobs}>
      {({ jobs: all }) => {
        const others = all.filter((job) => job.jobId !== previewId && isOfCampaign(job, of));
        if (others.length === 0 && search.with === undefined) return null;
        return (
          <NativeSelect
            label={t.compare}
            maw={420}
            value={search.with ?? ''}
            onChange={({ currentTarget: { value } }) =>
              setSearch({ with: value === '' ? undefined : value })
            }
            data={[
              { value: '', label: t.compareNone },
              ...others.map(({ jobId, createdAt }) => ({
                value: jobId,
                label: t.compareWith(formatInstant(createdAt, zone), jobId.slice(-6)),
              })),
            ]}
          />
        );
      }}
    </Answered>
  );
}

function isOfCampaign({ kind, status, params }: Job, { tenantId, campaignId }: Report): boolean {
  if (kind !== 'preview' || status !== 'done') return false;
  const its = params as { tenantId?: string; draft?: { campaignId: string } };
  return its.tenantId === tenantId && its.draft?.campaignId === campaignId;
}

function Beside({ of, otherId }: { of: Report; otherId: string }) {
  const t = useTexts(previewTexts);
  const other = useQuery(apiQuery('showPreview', { path: { previewId: otherId } }));
  return (
    <Answered of={other}>
      {({ result }) => {
        const report = result as Report | undefined;
        if (report === undefined) return <Text>{t.otherIsGone}</Text>;
        return (
          <>
            {!readTheSame(of, report) && <Text size="sm">{t.otherPlace}</Text>}
            <ReportView of={of} other={report} />
          </>
        );
      }}
    </Answered>
  );
}

function readTheSame({ positions: one }: Report, { positions: other }: Report): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

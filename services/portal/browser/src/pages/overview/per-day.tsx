import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../../parts/amount.tsx';
import { addDecimals } from '../../parts/amounts.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Part, PartTitle } from '../../parts/part.tsx';
import { Time } from '../../parts/time.tsx';
import { browserZoneName, timeZone } from '../../parts/times.ts';
import { place } from './place.ts';
import { overviewTexts } from './texts.ts';

const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

type Day = AnswerOf<'readSeries'>['days'][number];
const kinds = ['events', 'rewards', 'credits', 'deliveries'] as const;
type Kind = (typeof kinds)[number];

const dayMs = 86_400_000;

/** What happened each day; the chart is for the eye, the table has the exact numbers. */
export function PerDay() {
  const t = useTexts(overviewTexts);
  const zone = timeZone.use();
  return (
    <Part title={t.perDay}>
      <Text size="sm" c="dimmed">
        {zone === 'utc' ? t.period : t.periodIn(browserZoneName())}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {kinds.map((kind) => (
          <Series key={kind} kind={kind} />
        ))}
      </SimpleGrid>
    </Part>
  );
}

function Series({ kind }: { kind: Kind }) {
  const t = useTexts(overviewTexts);
  const { tenantId, search } = usePlace(place);
  const query = { of: kind, ...periodOf(search) };
  const exact = kind === 'credits' ? creditsOf : countOf;
  const { data, error, isPending, refetch } = useQuery(
    apiQuery('readSeries', { path: { tenantId }, query }),
  );
  const drawn = useMemo(
    () => (data?.days ?? []).map((day) => ({ day: day.day, exact: exact(day) })),
    [data, exact],
  );
  return (
    <Stack gap="xs">
      <PartTitle>{t[kind]}</PartTitle>
      {isPending && <Loading />}
      {data === undefined && error && <Failed error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Text size="sm">
            {t.inAll}: <Amount value={addDecimals(data.days.map(exact))} />
          </Text>
          <Suspense fallback={<Loading />}>
            <DayChart label={t.chart(t[kind])} days={drawn} />
          </Suspense>
          <DayTable name={t[kind]} days={data.days} exact={exact} />
        </>
      )}
    </Stack>
  );
}

type Exact = (day: Day) => string;

function DayTable(props: { name: string; days: readonly Day[]; exact: Exact }) {
  const { name, days, exact } = props;
  const t = useTexts(overviewTexts);
  const zone = timeZone.use();
  return (
    <details>
      <summary>
        {t.asTable} ({name})
      </summary>
      <SmallTable
        caption={name}
        rows={days}
        idOf={({ day }) => day}
        columns={[
          zone === 'utc'
            ? [t.day, ({ day }) => day]
            : [t.dayFrom, ({ day }) => <Time at={`${day}T00:00:00.000Z`} />],
          [name, (day) => <Amount value={exact(day)} />, 'end'],
        ]}
      />
    </details>
  );
}

function countOf({ count }: Day): string {
  return String(count);
}

function creditsOf({ credits = '0' }: Day): string {
  return credits;
}

/** Thirty whole days unless the address says otherwise. */
export function periodOf({ from, to }: { from?: string; to?: string }) {
  const tomorrow = Math.floor(Date.now() / dayMs) * dayMs + dayMs;
  return {
    from: from ?? new Date(tomorrow - 30 * dayMs).toISOString(),
    to: to ?? new Date(tomorrow).toISOString(),
  };
}

import { Anchor, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Facts } from '../../parts/facts.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Part } from '../../parts/part.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Empty, Failed, Loading, Stale } from '../../parts/states.tsx';
import { Services } from './services.tsx';
import { Stages } from './stages.tsx';
import { healthTexts } from './texts.ts';

export type Health = AnswerOf<'showHealth'>;

/** How the deployment is, for whoever is called: what is wrong, and the runbook for it. */
export function Screen() {
  const t = useTexts(healthTexts);
  const { data, error, isPending, refetch, dataUpdatedAt } = useQuery({
    ...apiQuery('showHealth', {}),
    refetchInterval: 10_000,
  });
  return (
    <PageFrame title={t.title} actions={<SameByApi name="showHealth" asked={{}} />}>
      <Text size="sm">
        {t.lead}{' '}
        <Anchor href="/docs/runbooks" underline="always">
          {t.runbooks}
        </Anchor>
      </Text>
      {isPending && <Loading />}
      {data === undefined && error && <Failed error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Stale error={error} updatedAt={dataUpdatedAt} />
          <Summary of={data} />
          <Services of={data.services} />
          <Stages of={data.live} />
          <Brokers of={data.brokers} />
          <Versions of={data} />
        </>
      )}
    </PageFrame>
  );
}

function Summary({ of: { services, live, brokers } }: { of: Health }) {
  const t = useTexts(healthTexts);
  const silent = [live, brokers].filter((answer) => answer === null).length;
  const count = services.filter(({ ok }) => !ok).length + silent;
  return (
    <Text role="status">
      <StateBadge tone={count === 0 ? 'good' : 'bad'}>
        {count === 0 ? t.allWell : t.notWell(count)}
      </StateBadge>
    </Text>
  );
}

function Brokers({ of }: { of: Health['brokers'] }) {
  const t = useTexts(healthTexts);
  return (
    <Part title={t.brokers}>
      {of === null ? (
        <Empty>{t.brokersUnknown}</Empty>
      ) : (
        <SmallTable
          caption={t.brokers}
          rows={of}
          idOf={({ nodeId }) => String(nodeId)}
          columns={[
            [t.broker, ({ nodeId }) => nodeId],
            [t.address, ({ address }) => address],
            [t.role, ({ isController }) => isController && t.controller],
          ]}
        />
      )}
    </Part>
  );
}

function Versions({ of: { versions, live } }: { of: Health }) {
  const t = useTexts(healthTexts);
  return (
    <Part title={t.versions}>
      <Stack align="flex-start">
        <Facts
          of={[
            ['Tributary', versions.tributary],
            [t.rules, live?.foldVersion ?? t.unknown],
            ['Node.js', versions.node],
            ['PostgreSQL', versions.postgres ?? t.unknown],
          ]}
        />
      </Stack>
    </Part>
  );
}

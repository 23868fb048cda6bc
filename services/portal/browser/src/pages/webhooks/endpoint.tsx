import { Group, Stack, Text, Title } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../../parts/actor/actor.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { place } from './place.ts';
import { webhookTexts } from './texts.ts';

type Health = AnswerOf<'showWebhook'>;

/** Where webhooks go, how that fares, and what may be done about it. */
export function Endpoint() {
  const t = useTexts(webhookTexts);
  const { tenantId } = usePlace(place);
  const mayChange = useMay(tenantId, 'develop');
  const asked = { path: { tenantId } };
  const { data, error, isPending, refetch } = useQuery(apiQuery('showWebhook', asked));
  return (
    <Stack component="section" gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t.endpoint}
        </Title>
        <SameByApi name="showWebhook" asked={asked} />
      </Group>
      {isPending && <Loading />}
      {error && <Failed error={error} onRetry={() => void refetch()} />}
      {data && !data.endpoint && <Text>{t.noEndpoint}</Text>}
      {data?.endpoint && <EndpointFacts endpoint={data.endpoint} health={data} />}
      {data && mayChange && <EndpointActions endpoint={data.endpoint} />}
    </Stack>
  );
}

function EndpointFacts({
  endpoint,
  health,
}: {
  endpoint: NonNullable<Health['endpoint']>;
  health: Health;
}) {
  const t = useTexts(webhookTexts);
  const { breaker, waiting } = health;
  return (
    <Facts
      of={[
        [t.url, <CustomerText text={endpoint.url} />],
        [t.username, <CustomerText text={endpoint.username} />],
        [
          t.status,
          <>
            <StateBadge tone={endpoint.status === 'active' ? 'good' : 'bad'}>
              {t.statuses[endpoint.status]}
            </StateBadge>{' '}
            {endpoint.reason !== undefined && <CustomerText text={t.because(endpoint.reason)} />}
          </>,
        ],
        [
          t.changed,
          <>
            <Time at={endpoint.changedAt} />
            {endpoint.changedBy !== undefined && (
              <>
                {' '}
                {t.by} <Actor id={endpoint.changedBy} inSentence />
              </>
            )}
          </>,
        ],
        [
          t.breaker,
          <StateBadge tone={breaker.state === 'closed' ? 'good' : 'bad'}>
            {t.breakers[breaker.state]}
          </StateBadge>,
        ],
        [t.probeAt, breaker.probeAt && <Time at={breaker.probeAt} />],
        [t.failingSince, health.failingSince && <Time at={health.failingSince} />],
        [
          t.lastFailure,
          health.lastFailureAt && (
            <>
              <Time at={health.lastFailureAt} /> {health.lastFailure}
            </>
          ),
        ],
        [t.lastSuccess, health.lastSuccessAt && <Time at={health.lastSuccessAt} />],
        [t.due, String(waiting.due)],
        [t.later, String(waiting.later)],
        [t.exhausted, String(waiting.exhausted)],
        [
          t.overlap,
          endpoint.credentialsOverlapUntil && <Time at={endpoint.credentialsOverlapUntil} />,
        ],
      ]}
    />
  );
}

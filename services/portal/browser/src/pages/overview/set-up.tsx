import { List, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Part } from '../../parts/part.tsx';
import { Failed } from '../../parts/states.tsx';
import { place as campaignsPlace } from '../campaigns/place.ts';
import { place as eventsPlace } from '../events/place.ts';
import { place as keysPlace } from '../keys/place.ts';
import { place as paymentsPlace } from '../payments/place.ts';
import { place as webhooksPlace } from '../webhooks/place.ts';
import { place as widgetPlace } from '../widget/place.ts';
import { place } from './place.ts';
import { StepMark } from './step-mark.tsx';
import { overviewTexts } from './texts.ts';

/** Each step is judged by what there is, not by what somebody ticked. */
export function SetUp() {
  const t = useTexts(overviewTexts);
  const { tenantId } = usePlace(place);
  const { facts, error, retry } = useFacts(tenantId);
  const link = { tenantId };
  return (
    <Part title={t.setUp}>
      {error && <Failed error={error} onRetry={retry} />}
      <List listStyleType="none" spacing={4}>
        <Step of={facts.campaign}>
          <PlaceLink to={campaignsPlace} {...link}>
            {t.steps.campaign}
          </PlaceLink>
        </Step>
        <Step of={facts.key}>
          <PlaceLink to={keysPlace} {...link}>
            {t.steps.key}
          </PlaceLink>
        </Step>
        <Step of={facts.event}>
          <PlaceLink to={eventsPlace} {...link}>
            {t.steps.event}
          </PlaceLink>
        </Step>
        <Step of={facts.attributed}>
          <PlaceLink to={eventsPlace} {...link} search={{ outcome: 'attributed' }}>
            {t.steps.attributed}
          </PlaceLink>
        </Step>
        <Step of={facts.webhook}>
          <PlaceLink to={webhooksPlace} {...link}>
            {t.steps.webhook}
          </PlaceLink>
        </Step>
        <Step of={facts.delivered}>
          <PlaceLink to={webhooksPlace} {...link} search={{ state: 'delivered' }}>
            {t.steps.delivered}
          </PlaceLink>
        </Step>
        <Step of={facts.domain}>
          <PlaceLink to={widgetPlace} {...link}>
            {t.steps.domain}
          </PlaceLink>
        </Step>
        <Step of={facts.processor}>
          <PlaceLink to={paymentsPlace} {...link}>
            {t.steps.processor}
          </PlaceLink>
        </Step>
      </List>
    </Part>
  );
}

type Standing = keyof typeof marks;

const marks = { done: '✓', toDo: '○', pending: '…', unknown: '?' } as const;

function Step({ of, children }: { of: Standing; children: ReactNode }) {
  const t = useTexts(overviewTexts);
  return (
    <List.Item icon={<StepMark of={marks[of]} />}>
      {children}{' '}
      <Text component="span" size="sm" c="dimmed">
        {t.standings[of]}
      </Text>
    </List.Item>
  );
}

/** What failed is asked for again all at once. */
function useFacts(tenantId: string) {
  const path = { tenantId };
  const one = { limit: 1 };
  const purchases = { ...one, type: 'purchase-created', outcome: 'attributed' } as const;
  const campaigns = useQuery(apiQuery('listCampaigns', { path }));
  const keys = useQuery(apiQuery('listAccessKeys', { path }));
  const events = useQuery(apiQuery('listEvents', { path, query: one }));
  const attributed = useQuery(apiQuery('listEvents', { path, query: purchases }));
  const webhook = useQuery(apiQuery('showWebhook', { path }));
  const delivered = useQuery(
    apiQuery('listDeliveries', { path, query: { ...one, state: 'delivered' } }),
  );
  const domains = useQuery(apiQuery('listDomains', { path }));
  const connections = useQuery(apiQuery('listConnections', { path }));
  const all = [
    ...[campaigns, keys, events, attributed],
    ...[webhook, delivered, domains, connections],
  ];
  const failed = all.filter(({ error, data }) => error !== null && data === undefined);
  return {
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach(({ refetch }) => void refetch()),
    facts: {
      campaign: fact(campaigns, (data) =>
        data.campaigns.some(({ status }) => status === 'running'),
      ),
      key: fact(keys, (data) => data.accessKeys.some(({ status }) => status === 'active')),
      event: fact(events, (data) => data.events.length > 0),
      attributed: fact(attributed, (data) => data.events.length > 0),
      webhook: fact(webhook, ({ endpoint }) => endpoint?.status === 'active'),
      delivered: fact(delivered, ({ deliveries }) => deliveries.length > 0),
      domain: fact(domains, (data) => data.domains.some(({ proof }) => proof !== 'none')),
      processor: fact(connections, (data) =>
        data.connections.some(({ status }) => status === 'active'),
      ),
    },
  };
}

function fact<T>({ data, error }: UseQueryResult<T>, isTrue: (data: T) => boolean): Standing {
  if (data !== undefined) return isTrue(data) ? 'done' : 'toDo';
  return error ? 'unknown' : 'pending';
}

import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Part } from '../../parts/part.tsx';
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
  const facts = useFacts(tenantId);
  const link = { tenantId };
  return (
    <Part title={t.setUp}>
      <List listStyleType="none" spacing={4}>
        <Step isDone={facts.campaign}>
          <PlaceLink to={campaignsPlace} {...link}>
            {t.steps.campaign}
          </PlaceLink>
        </Step>
        <Step isDone={facts.key}>
          <PlaceLink to={keysPlace} {...link}>
            {t.steps.key}
          </PlaceLink>
        </Step>
        <Step isDone={facts.event}>
          <PlaceLink to={eventsPlace} {...link}>
            {t.steps.event}
          </PlaceLink>
        </Step>
        <Step isDone={facts.attributed}>
          <PlaceLink to={eventsPlace} {...link} search={{ outcome: 'attributed' }}>
            {t.steps.attributed}
          </PlaceLink>
        </Step>
        <Step isDone={facts.webhook}>
          <PlaceLink to={webhooksPlace} {...link}>
            {t.steps.webhook}
          </PlaceLink>
        </Step>
        <Step isDone={facts.delivered}>
          <PlaceLink to={webhooksPlace} {...link} search={{ state: 'delivered' }}>
            {t.steps.delivered}
          </PlaceLink>
        </Step>
        <Step isDone={facts.domain}>
          <PlaceLink to={widgetPlace} {...link}>
            {t.steps.domain}
          </PlaceLink>
        </Step>
        <Step isDone={facts.processor}>
          <PlaceLink to={paymentsPlace} {...link}>
            {t.steps.processor}
          </PlaceLink>
        </Step>
      </List>
    </Part>
  );
}

function Step({ isDone, children }: { isDone: boolean | undefined; children: ReactNode }) {
  const t = useTexts(overviewTexts);
  const mark = isDone === undefined ? '…' : isDone ? '✓' : '○';
  return (
    <List.Item icon={<StepMark of={mark} />}>
      {children}{' '}
      <Text component="span" size="sm" c="dimmed">
        {isDone === undefined ? '' : isDone ? t.done : t.toDo}
      </Text>
    </List.Item>
  );
}

/** Undefined is what has not been answered yet. */
function useFacts(tenantId: string) {
  const path = { tenantId };
  const one = { limit: 1 };
  const { data: campaigns } = useQuery(apiQuery('listCampaigns', { path }));
  const { data: keys } = useQuery(apiQuery('listAccessKeys', { path }));
  const { data: events } = useQuery(apiQuery('listEvents', { path, query: one }));
  const { data: purchases } = useQuery(
    apiQuery('listEvents', {
      path,
      query: { ...one, type: 'purchase-created', outcome: 'attributed' },
    }),
  );
  const { data: webhook } = useQuery(apiQuery('showWebhook', { path }));
  const { data: delivered } = useQuery(
    apiQuery('listDeliveries', { path, query: { ...one, state: 'delivered' } }),
  );
  const { data: domains } = useQuery(apiQuery('listDomains', { path }));
  const { data: connections } = useQuery(apiQuery('listConnections', { path }));
  return {
    campaign: campaigns?.campaigns.some(({ status }) => status === 'running'),
    key: keys?.accessKeys.some(({ status }) => status === 'active'),
    event: events && events.events.length > 0,
    attributed: purchases && purchases.events.length > 0,
    webhook: webhook && webhook.endpoint?.status === 'active',
    delivered: delivered && delivered.deliveries.length > 0,
    domain: domains?.domains.some(({ proof }) => proof !== 'none'),
    processor: connections?.connections.some(({ status }) => status === 'active'),
  };
}

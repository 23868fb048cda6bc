import { Button, List, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ErrorText } from '../../parts/error-text.tsx';
import { Part } from '../../parts/part.tsx';
import { Failed } from '../../parts/states.tsx';
import { place as eventsPlace } from '../events/place.ts';
import { place as peoplePlace } from '../people/place.ts';
import { place as rewardsPlace } from '../rewards/place.ts';
import { place as webhooksPlace } from '../webhooks/place.ts';
import { place } from './place.ts';
import { sendFirstEvent } from './send-first-event.ts';
import { StepMark } from './step-mark.tsx';
import { overviewTexts } from './texts.ts';

/**
 * Where nothing is a customer's: an event that is sent from here, and what becomes of it, as live
 * changes tell it. Whose signup it was is in the address, so that it can be left and found again.
 */
export function FirstRun() {
  const t = useTexts(overviewTexts);
  const { tenantId, search } = usePlace(place);
  const mayMakeKeys = useMay(tenantId, 'administer');
  const { data: tenant } = useQuery(apiQuery('showTenant', { path: { tenantId } }));
  const isShown = tenant?.environment === 'sandbox' && mayMakeKeys;
  if (!isShown && search.run === undefined) return null;
  return (
    <Part title={t.firstRun}>
      <Text size="sm">{t.firstRunText}</Text>
      {isShown && <Send />}
      {search.run !== undefined && <Chain newUserId={search.run} />}
    </Part>
  );
}

function Send() {
  const t = useTexts(overviewTexts);
  const { tenantId, search, setSearch } = usePlace(place);
  const path = { tenantId };
  const codes = useQuery(apiQuery('listCodes', { path, query: { state: 'active', limit: 1 } }));
  const code = codes.data?.codes[0];
  const send = useMutation({
    mutationFn: async (ucc: string) => {
      const newUserId = `first-run-${crypto.randomUUID().slice(0, 8)}`;
      await sendFirstEvent(tenantId, { ucc, newUserId });
      return newUserId;
    },
    onSuccess: (run) => setSearch({ run }),
  });
  if (codes.data && code === undefined) {
    return (
      <Text size="sm">
        <PlaceLink to={peoplePlace} tenantId={tenantId}>
          {t.needsCode}
        </PlaceLink>
      </Text>
    );
  }
  if (codes.error && codes.data === undefined) {
    return <Failed error={codes.error} onRetry={() => void codes.refetch()} />;
  }
  return (
    <div>
      <Button
        variant={search.run === undefined ? 'filled' : 'default'}
        disabled={code === undefined}
        loading={send.isPending}
        onClick={() => code && send.mutate(code.ucc)}
      >
        {search.run === undefined ? t.sendEvent : t.sendAnother}
      </Button>
      {send.error && <ErrorText error={send.error} />}
    </div>
  );
}

function Chain({ newUserId }: { newUserId: string }) {
  const t = useTexts(overviewTexts);
  const { tenantId } = usePlace(place);
  const path = { tenantId };
  const events = useQuery(apiQuery('listEvents', { path, query: { user: newUserId } }));
  const rewards = useQuery(apiQuery('listRewards', { path, query: { user: newUserId } }));
  const event = events.data?.events[0];
  const reward = rewards.data?.rewards[0];
  const deliveries = useQuery({
    ...apiQuery('listDeliveries', { path, query: { recipient: reward?.recipientId ?? '' } }),
    enabled: reward !== undefined,
  });
  const delivery = deliveries.data?.deliveries.find(
    ({ rewardId }) => rewardId === reward?.rewardId,
  );
  const failed = [events, rewards, deliveries].filter(({ error }) => error !== null);
  const isDecided = event !== undefined && event.outcome !== 'pending';
  return (
    <div role="log" aria-label={t.firstRun}>
      {failed[0]?.error && (
        <Failed
          error={failed[0].error}
          onRetry={() => failed.forEach(({ refetch }) => void refetch())}
        />
      )}
      <List listStyleType="none" spacing={4}>
        <Step isDone={event !== undefined} label={t.chain.event}>
          {event && (
            <PlaceLink
              underline="always"
              to={eventsPlace}
              tenantId={tenantId}
              search={{ open: event.eventId }}
            >
              {newUserId}
            </PlaceLink>
          )}
        </Step>
        <Step isDone={isDecided} label={t.chain.decision}>
          {isDecided && t.outcomes[event.outcome]}
        </Step>
        <Step isDone={reward !== undefined} label={t.chain.reward}>
          {reward && (
            <PlaceLink
              underline="always"
              to={rewardsPlace}
              tenantId={tenantId}
              search={{ open: reward.rewardId }}
            >
              {t.rewardOf(reward.recipientId)}
            </PlaceLink>
          )}
        </Step>
        <Step isDone={delivery?.state === 'delivered'} label={t.chain.webhook}>
          {delivery && (
            <PlaceLink
              underline="always"
              to={webhooksPlace}
              tenantId={tenantId}
              search={{ open: delivery.webhookEventId }}
            >
              {delivery.webhookEventId}
            </PlaceLink>
          )}
        </Step>
      </List>
    </div>
  );
}

function Step({
  isDone,
  label,
  children,
}: {
  isDone: boolean;
  label: string;
  children: ReactNode;
}) {
  return (
    <List.Item icon={<StepMark of={isDone ? '✓' : '…'} />}>
      {label} {children}
    </List.Item>
  );
}

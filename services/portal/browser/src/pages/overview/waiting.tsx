import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { PlainCount } from '../../parts/plain-count.tsx';
import { Part } from '../../parts/part.tsx';
import { Failed } from '../../parts/states.tsx';
import { place as reviewPlace } from '../review/place.ts';
import { place as webhooksPlace } from '../webhooks/place.ts';
import { place } from './place.ts';
import { overviewTexts } from './texts.ts';

/** How much waits, each leading to the list of just that. */
export function Waiting() {
  const t = useTexts(overviewTexts);
  const { tenantId } = usePlace(place);
  const path = { tenantId };
  const rewards = useQuery(apiQuery('countRewards', { path, query: { state: 'review' } }));
  const events = useQuery(apiQuery('countEvents', { path, query: { outcome: 'waiting' } }));
  const webhooks = useQuery(apiQuery('countDeliveries', { path, query: { state: 'exhausted' } }));
  const payments = useQuery(apiQuery('countItems', { path, query: { state: 'unmatched' } }));
  const all = [rewards, events, webhooks, payments];
  const failed = all.find(({ error, data }) => error !== null && data === undefined);
  const isQuiet = all.every(({ data }) => data?.total.count === 0);
  return (
    <Part title={t.waits}>
      {isQuiet && <Text>{t.nothingWaits}</Text>}
      {failed?.error && <Failed error={failed.error} onRetry={() => void failed.refetch()} />}
      <List listStyleType="none" spacing={4}>
        {rewards.data && rewards.data.total.count > 0 && (
          <List.Item>
            <PlaceLink to={reviewPlace} tenantId={tenantId} search={{ tab: 'rewards' }}>
              <PlainCount of={rewards.data.total} /> {t.review}
            </PlaceLink>
          </List.Item>
        )}
        {events.data && events.data.total.count > 0 && (
          <List.Item>
            <PlaceLink to={reviewPlace} tenantId={tenantId} search={{ tab: 'events' }}>
              <PlainCount of={events.data.total} /> {t.waiting}
            </PlaceLink>
          </List.Item>
        )}
        {webhooks.data && webhooks.data.total.count > 0 && (
          <List.Item>
            <PlaceLink to={webhooksPlace} tenantId={tenantId} search={{ state: 'exhausted' }}>
              <PlainCount of={webhooks.data.total} /> {t.exhausted}
            </PlaceLink>
          </List.Item>
        )}
        {payments.data && payments.data.total.count > 0 && (
          <List.Item>
            <PlaceLink to={reviewPlace} tenantId={tenantId} search={{ tab: 'payments' }}>
              <PlainCount of={payments.data.total} /> {t.unmatched}
            </PlaceLink>
          </List.Item>
        )}
      </List>
    </Part>
  );
}

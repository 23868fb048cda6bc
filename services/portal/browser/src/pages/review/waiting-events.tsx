import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { storyTexts } from '../../parts/story/texts.ts';
import { Time } from '../../parts/time.tsx';
import { place as eventsPlace } from '../events/place.ts';
import { place } from './place.ts';
import { reviewTexts } from './texts.ts';

type EventRow = AnswerOf<'listEvents'>['events'][number];

/** Events that wait for a code or a purchase; they are decided by themselves when it comes. */
export function WaitingEvents() {
  const t = useTexts(reviewTexts);
  const { tenantId } = usePlace(place);
  const query = { outcome: 'waiting' as const, order: 'oldest' as const };
  return (
    <DataList
      place={place}
      caption={t.tabs.events}
      empty={t.emptyEvents}
      source={{ name: 'listEvents', asked: { path: { tenantId }, query }, rowsOf }}
      columns={useColumns(tenantId)}
      idOf={(row) => row.eventId}
    />
  );
}

const rowsOf = (answer: AnswerOf<'listEvents'>) => answer.events;

function useColumns(tenantId: string): Column<EventRow>[] {
  const t = useTexts(reviewTexts);
  const story = useTexts(storyTexts);
  return useMemo(
    () => [
      {
        key: 'since',
        label: t.since,
        text: (row) => row.receivedAt,
        cell: (row) => <Time at={row.receivedAt} />,
        width: 180,
      },
      {
        key: 'event',
        label: t.event,
        text: (row) => row.eventId,
        cell: (row) => (
          <PlaceLink to={eventsPlace} tenantId={tenantId} search={{ open: row.eventId }}>
            {row.eventId}
          </PlaceLink>
        ),
        width: 300,
      },
      {
        key: 'waitsFor',
        label: t.waitsFor,
        text: (row) => row.reason ?? '',
        cell: (row) => row.reason && story.reasons[row.reason],
        width: 220,
      },
      { key: 'newUser', label: t.newUser, text: (row) => row.newUserId ?? '' },
      { key: 'code', label: t.code, text: (row) => row.ucc ?? '' },
    ],
    [t, story, tenantId],
  );
}

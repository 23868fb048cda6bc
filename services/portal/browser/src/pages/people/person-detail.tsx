import { Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Amount } from '../../parts/amount.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Answered } from '../../parts/answered.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Part } from '../../parts/part.tsx';
import { Time } from '../../parts/time.tsx';
import { place as eventsPlace } from '../events/place.ts';
import { Codes } from './codes.tsx';
import { place } from './place.ts';
import { Referrals } from './referrals.tsx';
import { Statements } from './statements.tsx';
import { peopleTexts } from './texts.ts';

type UserRow = AnswerOf<'listUsers'>['users'][number];

/** One user: who they are, what they have, their codes, whom they referred, what happened. */
export function PersonDetail({ userId, row }: { userId: string; row: UserRow | undefined }) {
  const t = useTexts(peopleTexts);
  const { tenantId } = usePlace(place);
  const mayErase = useMay(tenantId, 'own');
  return (
    <Stack>
      <Facts
        of={[
          [t.user, <CustomerText text={userId} />],
          [t.name, row?.name ? <CustomerText text={row.name} /> : undefined],
          [t.email, row?.email ? <CustomerText text={row.email} /> : undefined],
        ]}
      />
      <BalanceOf userId={userId} />
      <Codes userId={userId} />
      <Referrals userId={userId} />
      <Statements userId={userId} />
      <Timeline userId={userId} />
      {mayErase && (
        <ActionButton
          name="erasePerson"
          label={t.erase}
          title={t.erase}
          text={t.eraseText}
          danger
          done={t.erased}
          asked={() => ({ path: { tenantId }, body: { userId } })}
        />
      )}
    </Stack>
  );
}

function BalanceOf({ userId }: { userId: string }) {
  const t = useTexts(peopleTexts);
  const { tenantId } = usePlace(place);
  const path = { tenantId, recipientId: userId };
  const balance = useQuery(apiQuery('showRecipientBalance', { path }));
  const names = Object.keys(t.balances) as (keyof typeof t.balances)[];
  return (
    <Part title={t.balance}>
      <Answered of={balance}>
        {(data) => (
          <Facts
            of={names.map((name) => [t.balances[name], <Amount value={data[name]} />] as const)}
          />
        )}
      </Answered>
    </Part>
  );
}

function Timeline({ userId }: { userId: string }) {
  const t = useTexts(peopleTexts);
  const { tenantId } = usePlace(place);
  const asked = { path: { tenantId }, query: { user: userId, limit: 100 } };
  const timeline = useQuery(apiQuery('readTimeline', asked));
  if (timeline.data?.entries.length === 0) return null;
  return (
    <Part title={t.timeline}>
      <Answered of={timeline}>
        {(data) => (
          <Stack gap={4} component="ol" m={0} pl="lg">
            {data.entries.map((entry, index) => (
              <Text size="sm" component="li" key={index}>
                <Time at={entry.at} /> – {t.kinds[entry.kind]}
                {entry.kind === 'event' && (
                  <>
                    {' '}
                    <PlaceLink to={eventsPlace} tenantId={tenantId} search={{ open: entry.id }}>
                      {entry.id}
                    </PlaceLink>
                  </>
                )}
              </Text>
            ))}
          </Stack>
        )}
      </Answered>
    </Part>
  );
}

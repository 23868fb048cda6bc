import { Text, UnstyledButton } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Answered } from '../../parts/answered.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { withMarks } from '../../parts/hidden-characters.ts';
import { Part } from '../../parts/part.tsx';
import { place } from './place.ts';
import { peopleTexts } from './texts.ts';

const most = 200;

/**
 * Whom a user referred, as a tree that opens level by level: the users of the events that were
 * attributed to them.
 */
export function Referrals({ userId }: { userId: string }) {
  const t = useTexts(peopleTexts);
  const { tenantId } = usePlace(place);
  const asked = { path: { tenantId }, query: { user: userId, outcome: 'attributed' as const } };
  const own = useQuery(apiQuery('listEvents', asked));
  return (
    <Part title={t.referrals}>
      <Answered of={own}>
        {({ events }) =>
          [...new Set(events.flatMap(({ referrerId }) => referrerId ?? []))].map((referrer) => (
            <Text size="sm" key={referrer}>
              {t.referredBy} <PersonLink userId={referrer} />
            </Text>
          ))
        }
      </Answered>
      <Branch userId={userId} above={[]} />
    </Part>
  );
}

function Branch({ userId, above }: { userId: string; above: readonly string[] }) {
  const { tenantId } = usePlace(place);
  const query = { referrer: userId, outcome: 'attributed' as const, limit: most };
  const referred = useQuery(apiQuery('listEvents', { path: { tenantId }, query }));
  return (
    <Answered of={referred}>{(data) => <Twigs of={data} above={[...above, userId]} />}</Answered>
  );
}

function Twigs({ of, above }: { of: AnswerOf<'listEvents'>; above: readonly string[] }) {
  const t = useTexts(peopleTexts);
  const users = [...new Set(of.events.flatMap(({ newUserId }) => newUserId ?? []))];
  if (users.length === 0) return <Text size="sm">{t.noReferrals}</Text>;
  return (
    <>
      <ul>
        {users.map((user) => (
          <Twig key={user} userId={user} above={above} />
        ))}
      </ul>
      {of.nextCursor !== null && <Text size="sm">{t.shown(most)}</Text>}
    </>
  );
}

/**
 * A user in the tree; one that stands above already is not opened again: referrals may be a loop.
 */
function Twig({ userId, above }: { userId: string; above: readonly string[] }) {
  const t = useTexts(peopleTexts);
  const [isOpen, setIsOpen] = useState(false);
  if (above.includes(userId)) {
    return (
      <li>
        <PersonLink userId={userId} />
      </li>
    );
  }
  return (
    <li>
      <PersonLink userId={userId} />{' '}
      <UnstyledButton
        className="unfold"
        aria-expanded={isOpen}
        aria-label={t.referralsOf(withMarks(userId))}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? '▾' : '▸'}
      </UnstyledButton>
      {isOpen && <Branch userId={userId} above={above} />}
    </li>
  );
}

function PersonLink({ userId }: { userId: string }) {
  const { tenantId } = usePlace(place);
  return (
    <PlaceLink to={place} tenantId={tenantId} search={{ open: userId }}>
      <CustomerText text={userId} />
    </PlaceLink>
  );
}

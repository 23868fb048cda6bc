import { Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery } from '../../api/queries.ts';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
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
  const { data } = useQuery(apiQuery('listEvents', asked));
  const referrers = [...new Set(data?.events.flatMap(({ referrerId }) => referrerId ?? []))];
  return (
    <Part title={t.referrals}>
      {referrers.map((referrer) => (
        <Text size="sm" key={referrer}>
          {t.referredBy} <PersonLink userId={referrer} />
        </Text>
      ))}
      <Branch userId={userId} above={[]} />
    </Part>
  );
}

function Branch({ userId, above }: { userId: string; above: readonly string[] }) {
  const t = useTexts(peopleTexts);
  const { tenantId } = usePlace(place);
  const query = { referrer: userId, outcome: 'attributed' as const, limit: most };
  const { data } = useQuery(apiQuery('listEvents', { path: { tenantId }, query }));
  if (data === undefined) return null;
  const users = [...new Set(data.events.flatMap(({ newUserId }) => newUserId ?? []))];
  if (users.length === 0) return <Text size="sm">{t.noReferrals}</Text>;
  return (
    <>
      <ul>
        {users.map((user) => (
          <Twig key={user} userId={user} above={[...above, userId]} />
        ))}
      </ul>
      {data.nextCursor !== null && <Text size="sm">{t.shown(most)}</Text>}
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

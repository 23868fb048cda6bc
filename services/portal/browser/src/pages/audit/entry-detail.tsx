import { Title } from '@mantine/core';
import { PlaceLink } from '../../app/link.tsx';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { nameOfActor } from '../../parts/actor/name-of-actor.ts';
import { actorTexts } from '../../parts/actor/texts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Json } from '../../parts/json.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from './place.ts';
import { type Entry, targetOf, toneOfOutcome } from './screen.tsx';
import { auditTexts } from './texts.ts';

export function EntryDetail({ entry }: { entry: Entry }) {
  const t = useTexts(auditTexts);
  const actors = useTexts(actorTexts);
  const { tenantId } = usePlace(place);
  const parts = [
    [t.asked, entry.asked],
    [t.before, entry.before],
    [t.after, entry.after],
  ] as const;
  return (
    <>
      <Facts
        of={[
          [t.at, <Time at={entry.at} />],
          [t.actor, <CustomerText text={nameOfActor(entry, actors)} />],
          [
            t.actorId,
            <PlaceLink to={place} tenantId={tenantId} search={{ actor: entry.actor }}>
              {entry.actor}
            </PlaceLink>,
          ],
          [t.action, entry.action],
          [
            t.outcome,
            <StateBadge tone={toneOfOutcome[entry.outcome]}>
              {t.outcomes[entry.outcome]}
            </StateBadge>,
          ],
          [t.status, entry.status ?? undefined],
          [t.target, targetOf(entry) === '' ? undefined : <CustomerText text={targetOf(entry)} />],
          [t.address, entry.address],
          [t.request, entry.requestId ?? undefined],
        ]}
      />
      {parts.map(
        ([label, value]) =>
          value !== null &&
          value !== undefined && (
            <section key={label}>
              <Title order={3} size="h4">
                {label}
              </Title>
              <Json value={value} label={label} />
            </section>
          ),
      )}
    </>
  );
}

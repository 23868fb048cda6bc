import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Part } from '../../parts/part.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Postings } from '../../parts/story/postings.tsx';
import { Story } from '../../parts/story/story.tsx';
import { Tests } from '../../parts/story/tests.tsx';
import { storyTexts } from '../../parts/story/texts.ts';
import { Time } from '../../parts/time.tsx';
import { formatInstant, fromInput, timeZone, toInput } from '../../parts/times.ts';
import { place } from './place.ts';
import { eventTexts } from './texts.ts';

/** The chain of an event, now or as it was known at an instant of the past. */
export function EventDetail({ eventId }: { eventId: string }) {
  const t = useTexts(eventTexts);
  const zone = timeZone.use();
  const { tenantId, search } = usePlace(place);
  const { asOf } = search;
  const query = { event: eventId, ...(asOf !== undefined && { asOf }) };
  const chain = useQuery(apiQuery('explain', { path: { tenantId }, query }));
  return (
    <Stack>
      <KnownAt />
      {asOf !== undefined && (
        <Alert variant="outline" title={t.knownThen(formatInstant(asOf, zone))} role="status" />
      )}
      {chain.data?.stories.map((story) => (
        <Story key={story.eventId} of={story} />
      ))}
      {chain.isPending && <Loading />}
      {chain.error && <Failed error={chain.error} onRetry={() => void chain.refetch()} />}
      {asOf === undefined && <EventPostings eventId={eventId} />}
      {asOf === undefined && <Versions eventId={eventId} />}
      {chain.data && <AsText text={chain.data.text} />}
    </Stack>
  );
}

function KnownAt() {
  const t = useTexts(eventTexts);
  const zone = timeZone.use();
  const { search, setSearch } = usePlace(place);
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        type="datetime-local"
        step={1}
        label={t.knownAt}
        value={toInput(search.asOf, zone)}
        onChange={({ currentTarget }) => setSearch({ asOf: fromInput(currentTarget.value, zone) })}
      />
      {search.asOf !== undefined && (
        <Button variant="default" onClick={() => setSearch({ asOf: undefined })}>
          {t.now}
        </Button>
      )}
    </Group>
  );
}

function EventPostings({ eventId }: { eventId: string }) {
  const t = useTexts(eventTexts);
  const { tenantId } = usePlace(place);
  const asked = { path: { tenantId }, query: { event: eventId, limit: 200 } };
  const { data } = useQuery(apiQuery('listPostings', asked));
  if (data === undefined) return null;
  return (
    <Part title={t.postings}>
      {data.postings.length === 0 ? <Text>{t.noPostings}</Text> : <Postings of={data.postings} />}
    </Part>
  );
}

/** Each decision that there was; one that was never decided again has nothing to show here. */
function Versions({ eventId }: { eventId: string }) {
  const t = useTexts(eventTexts);
  const story = useTexts(storyTexts);
  const { tenantId } = usePlace(place);
  const { data } = useQuery(apiQuery('listDecisionVersions', { path: { tenantId, eventId } }));
  if (data === undefined || data.versions.length < 2) return null;
  return (
    <Part title={t.versions}>
      {data.versions.map(({ version, recordedAt, decision }) => (
        <details key={version}>
          <summary>
            {t.version(version)}, <Time at={recordedAt} />: {story.outcomes[decision.outcome]}
          </summary>
          <Tests of={decision.tests} />
        </details>
      ))}
    </Part>
  );
}

function AsText({ text }: { text: string }) {
  const story = useTexts(storyTexts);
  return (
    <details>
      <summary>{story.asText}</summary>
      <PlainText text={text} label={story.asText} />
    </details>
  );
}

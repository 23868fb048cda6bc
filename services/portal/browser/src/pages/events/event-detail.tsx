import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Answered } from '../../parts/answered.tsx';
import { Part } from '../../parts/part.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Postings } from '../../parts/story/postings.tsx';
import { Story } from '../../parts/story/story.tsx';
import { Tests } from '../../parts/story/tests.tsx';
import { storyTexts } from '../../parts/story/texts.ts';
import { Time } from '../../parts/time.tsx';
import { formatExactly, fromInput, timeZone, toInput } from '../../parts/times.ts';
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
        <Alert variant="outline" title={t.knownThen(formatExactly(asOf, zone))} role="status" />
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
        step={0.001}
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
  const postings = useQuery(apiQuery('listPostings', asked));
  return (
    <Part title={t.postings}>
      <Answered of={postings}>
        {(data) =>
          data.postings.length === 0 ? <Text>{t.noPostings}</Text> : <Postings of={data.postings} />
        }
      </Answered>
    </Part>
  );
}

/** Each decision that there was; one that was never decided again has nothing to show here. */
function Versions({ eventId }: { eventId: string }) {
  const t = useTexts(eventTexts);
  const story = useTexts(storyTexts);
  const { tenantId } = usePlace(place);
  const versions = useQuery(apiQuery('listDecisionVersions', { path: { tenantId, eventId } }));
  if (versions.data && versions.data.versions.length < 2) return null;
  if (versions.isPending) return null;
  return (
    <Part title={t.versions}>
      <Answered of={versions}>
        {(data) =>
          data.versions.map(({ version, recordedAt, decision }) => (
            <details key={version}>
              <summary>
                {t.version(version)}, <Time at={recordedAt} />: {story.outcomes[decision.outcome]}
              </summary>
              <Tests of={decision.tests} />
            </details>
          ))
        }
      </Answered>
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

import { Button, Group, List, NativeSelect, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/browser-client.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { JsonEditor } from '../../parts/json-editor/json-editor.tsx';
import { optionsOf } from '../../parts/options-of.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Arithmetic } from '../../parts/story/reward-story.tsx';
import { Part } from '../../parts/part.tsx';
import { Tests } from '../../parts/story/tests.tsx';
import { storyTexts } from '../../parts/story/texts.ts';
import { outcomeTones } from '../../parts/story/tones.ts';
import { parseObject } from './draft.ts';
import { place } from './place.ts';
import { campaignTexts } from './texts.ts';

type EventType = 'purchase-created' | 'signup-created' | 'demo-attended' | 'purchase-refunded';

/** An event that is decided as if it came now; nothing is written. */
export function Trial({ campaignId }: { campaignId: string }) {
  const t = useTexts(campaignTexts);
  const story = useTexts(storyTexts);
  const { tenantId } = usePlace(place);
  const [eventType, setEventType] = useState<EventType>('purchase-created');
  const [text, setText] = useState(() => JSON.stringify(exampleEvent(), null, 2));
  const parsed = parseObject(text);
  const trial = useMutation({
    mutationFn: (event: Record<string, unknown>) =>
      api.call('tryEvent', { path: { tenantId, campaignId }, body: { eventType, event } }),
  });
  return (
    <Stack>
      <Text size="sm">{t.tryText}</Text>
      <Group>
        <NativeSelect
          label={t.eventType}
          value={eventType}
          data={optionsOf(story.types)}
          onChange={({ currentTarget }) => setEventType(currentTarget.value as EventType)}
        />
      </Group>
      <JsonEditor label={t.event} value={text} onChange={setText} />
      {'mistake' in parsed && (
        <Text role="status">
          {t.notJson}: {parsed.mistake}
        </Text>
      )}
      <Group>
        <Button
          disabled={'mistake' in parsed}
          loading={trial.isPending}
          onClick={() => 'value' in parsed && trial.mutate(parsed.value)}
        >
          {t.tryIt}
        </Button>
      </Group>
      {trial.error && <ErrorText error={trial.error} />}
      {trial.data && <Outcome of={trial.data} />}
    </Stack>
  );
}

function Outcome({ of: { decision, rewards, explanation } }: { of: AnswerOf<'tryEvent'> }) {
  const t = useTexts(campaignTexts);
  const story = useTexts(storyTexts);
  return (
    <Stack role="status">
      <Part title={t.outcome}>
        <StateBadge tone={outcomeTones[decision.outcome]}>
          {story.outcomes[decision.outcome]}
        </StateBadge>
        <Tests of={decision.tests} />
      </Part>
      <Part title={t.wouldEarn}>
        {rewards.length === 0 && <Text>{t.earnsNothing}</Text>}
        {rewards.map(({ after }) => (
          <Arithmetic key={after.rewardId} of={after.calculation} />
        ))}
        <List size="sm">
          {explanation.map((line, index) => (
            <List.Item key={index}>
              <CustomerText text={line} />
            </List.Item>
          ))}
        </List>
      </Part>
    </Stack>
  );
}

function exampleEvent(): object {
  return {
    ucc: '',
    occurredAt: new Date().toISOString(),
    newUser: { id: 'somebody-new' },
    invoiceId: 'inv-trial',
    currency: 'EUR',
    amount: 4_900,
    subscription: { interval: 'monthly' },
  };
}

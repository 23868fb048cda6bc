import { List } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../actor/actor.tsx';
import { CustomerText } from '../customer-text.tsx';
import { Time } from '../time.tsx';
import { storyTexts } from './texts.ts';

export type DeliveryStep =
  AnswerOf<'explain'>['stories'][number]['rewards'][number]['issuances'][number]['deliveries'][number];

/** What became of a webhook, attempt by attempt. */
export function DeliverySteps({ of }: { of: readonly DeliveryStep[] }) {
  const t = useTexts(storyTexts);
  if (of.length === 0) return <>{t.noAttempt}</>;
  return (
    <List size="sm" spacing={4}>
      {of.map((step, index) => (
        <List.Item key={index}>
          <StepLine step={step} />
        </List.Item>
      ))}
    </List>
  );
}

function StepLine({ step }: { step: DeliveryStep }) {
  const t = useTexts(storyTexts);
  if (step.type === 'expired') {
    return (
      <>
        <Time at={step.at} />: {t.expired(step.attempts)}
      </>
    );
  }
  if (step.type === 'resent') {
    return (
      <>
        <Time at={step.at} />: {t.resent} {t.by} <Actor id={step.by} inSentence />
        {step.note !== undefined && (
          <>
            {' – '}
            <CustomerText text={step.note} />
          </>
        )}
      </>
    );
  }
  return (
    <>
      <Time at={step.startedAt} />: {t.attempt(step.attempt)} {t.results[step.outcome]} (
      {step.statusCode === undefined ? step.result : t.status(step.statusCode)}, {step.durationMs}{' '}
      ms)
      {step.nextAttemptAt !== undefined && (
        <>
          , {t.next} <Time at={step.nextAttemptAt} />
        </>
      )}
    </>
  );
}

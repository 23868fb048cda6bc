import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../../parts/actor/actor.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Part } from '../../parts/part.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from './place.ts';
import { webhookTexts } from './texts.ts';

/** A webhook: what was sent, and what the receiver answered each time. */
export function DeliveryDetail({ webhookEventId }: { webhookEventId: string }) {
  const t = useTexts(webhookTexts);
  const common = useTexts(commonTexts);
  const { tenantId } = usePlace(place);
  const mayResend = useMay(tenantId, 'develop');
  const path = { tenantId, eventId: webhookEventId };
  const { data, error, isPending, refetch } = useQuery(apiQuery('showDelivery', { path }));
  if (isPending) return <Loading />;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  const { delivery, payload, attempts, resends } = data;
  return (
    <Stack>
      {mayResend && (
        <Group>
          <ActionButton
            name="resendDelivery"
            label={t.resend}
            title={t.resend}
            text={t.resendText}
            fields={[{ key: 'note', label: common.note, kind: 'lines' }]}
            done={t.resent}
            asked={({ note }) => ({ path, body: note ? { note } : {} })}
          />
        </Group>
      )}
      <Facts
        of={[
          [t.state, t.states[delivery.state]],
          [t.recipient, <CustomerText text={delivery.recipientId} />],
          [t.issuedAt, <Time at={delivery.issuedAt} />],
          [t.dueAt, delivery.dueAt && <Time at={delivery.dueAt} />],
        ]}
      />
      <Part title={t.body}>
        <PlainText text={payload} label={t.body} />
      </Part>
      {attempts.map((attempt, index) => (
        <Part title={t.attempt(attempt.attempt)} key={index}>
          <Text size="sm">
            <Time at={attempt.startedAt} />: {attempt.outcome} ({attempt.result}
            {attempt.statusCode !== undefined && ` ${attempt.statusCode}`}, {attempt.durationMs} ms)
          </Text>
          {attempt.detail !== undefined && <CustomerText text={attempt.detail} />}
          {attempt.answer && <Answer of={attempt.answer} />}
        </Part>
      ))}
      {resends.map(({ at, by, note }) => (
        <Text size="sm" key={at}>
          <Time at={at} />: {t.sentAgain} {t.by} <Actor id={by} inSentence />
          {note !== undefined && (
            <>
              {' – '}
              <CustomerText text={note} />
            </>
          )}
        </Text>
      ))}
    </Stack>
  );
}

type AnswerRecord = { headers: readonly (readonly [string, string])[]; body: string; cut: boolean };

/** What a receiver answered; it is a customer's text, and shown as that. */
export function Answer({ of: { headers, body, cut } }: { of: AnswerRecord }) {
  const t = useTexts(webhookTexts);
  return (
    <>
      {headers.length > 0 && (
        <details>
          <summary>{t.headers}</summary>
          <PlainText
            text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
            label={t.headers}
          />
        </details>
      )}
      <Text size="sm">{t.answer}</Text>
      <PlainText text={cut ? `${body}\n… (${t.cut})` : body} label={t.answer} />
    </>
  );
}

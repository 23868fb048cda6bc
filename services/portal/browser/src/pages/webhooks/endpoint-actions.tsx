import { Group, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { wholeNumber } from '../../parts/whole-number.ts';
import { Answer } from './delivery-detail.tsx';
import { place } from './place.ts';
import { webhookTexts } from './texts.ts';

/** What may be done about an endpoint, or to have one. */
export function EndpointActions({ endpoint }: { endpoint: AnswerOf<'showWebhook'>['endpoint'] }) {
  return (
    <Group gap="xs">
      <SetEndpoint url={endpoint?.url ?? ''} username={endpoint?.username ?? ''} />
      {endpoint && (
        <>
          <SendTest />
          {endpoint.status === 'active' ? <Pause /> : <Resume />}
          <Rotate />
          <Recover />
        </>
      )}
    </Group>
  );
}

function SetEndpoint({ url, username }: { url: string; username: string }) {
  const t = useTexts(webhookTexts);
  const { tenantId } = usePlace(place);
  return (
    <ActionButton
      name="setWebhook"
      label={t.set}
      title={t.set}
      text={t.setText}
      fields={[
        { key: 'url', label: t.url, required: true, value: url },
        { key: 'username', label: t.username, value: username },
        { key: 'password', label: t.password, kind: 'password' },
      ]}
      done={t.isSet}
      result={secretOf}
      asked={(values) => ({
        path: { tenantId },
        body: {
          url: values['url'] ?? '',
          ...(values['username'] && { username: values['username'] }),
          ...(values['password'] && { password: values['password'] }),
        },
      })}
    />
  );
}

function SendTest() {
  const t = useTexts(webhookTexts);
  const { tenantId } = usePlace(place);
  return (
    <ActionButton
      name="testWebhook"
      label={t.test}
      title={t.test}
      text={t.testText}
      done={t.tested}
      result={({ delivered, durationMs, result, detail, answer }) => (
        <Stack gap="xs">
          <Text>{delivered ? t.delivered(durationMs) : t.notDelivered(detail ?? result)}</Text>
          {answer && <Answer of={answer} />}
        </Stack>
      )}
      asked={() => ({ path: { tenantId } })}
    />
  );
}

function Pause() {
  const t = useTexts(webhookTexts);
  const { tenantId } = usePlace(place);
  return (
    <ActionButton
      name="pauseWebhook"
      label={t.pause}
      title={t.pause}
      text={t.pauseText}
      fields={[{ key: 'reason', label: t.reason, required: true }]}
      done={t.paused}
      asked={({ reason = '' }) => ({ path: { tenantId }, body: { reason } })}
    />
  );
}

function Resume() {
  const t = useTexts(webhookTexts);
  const { tenantId } = usePlace(place);
  return (
    <ActionButton
      name="resumeWebhook"
      label={t.resume}
      title={t.resume}
      text={t.resumeText}
      done={t.resumed}
      asked={() => ({ path: { tenantId }, body: {} })}
    />
  );
}

function Rotate() {
  const t = useTexts(webhookTexts);
  const { tenantId } = usePlace(place);
  return (
    <ActionButton
      name="rotateWebhook"
      label={t.rotate}
      title={t.rotate}
      text={t.rotateText}
      fields={[{ key: 'overlapHours', label: t.overlapHours, kind: 'number', value: '24' }]}
      done={t.rotated}
      result={secretOf}
      asked={({ overlapHours }) => ({
        path: { tenantId },
        body: overlapHours ? { overlapHours: wholeNumber(overlapHours) as number } : {},
      })}
    />
  );
}

function Recover() {
  const t = useTexts(webhookTexts);
  const { tenantId } = usePlace(place);
  return (
    <ActionButton
      name="recoverDeliveries"
      label={t.recover}
      title={t.recover}
      text={t.recoverText}
      fields={[
        { key: 'since', label: t.since, required: true, value: dayAgo() },
        { key: 'until', label: t.until },
      ]}
      done={t.recovered}
      result={({ recovered, remaining }) => <Text>{t.recoveredCount(recovered, remaining)}</Text>}
      asked={({ since = '', until }) => ({
        path: { tenantId },
        body: { since, ...(until && { until }) },
      })}
    />
  );
}

function dayAgo(): string {
  return new Date(Date.now() - 86_400_000).toISOString();
}

function secretOf(answer: object) {
  const { username = '', password } = answer as { username?: string; password?: string };
  return password === undefined ? null : (
    <SecretOnce
      of={[
        ['username', username],
        ['password', password],
      ]}
    />
  );
}

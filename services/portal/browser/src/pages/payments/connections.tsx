import { Group, List, Stack, Text, Title } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../../parts/actor/actor.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { Failed, Loading, Stale } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { ConnectionActions } from './connection-actions.tsx';
import { place } from './place.ts';
import { paymentTexts } from './texts.ts';

type Connection = AnswerOf<'listConnections'>['connections'][number];

const tones: Readonly<Record<Connection['status'], Tone>> = {
  opening: 'waiting',
  active: 'good',
  disconnected: 'quiet',
};

/** The accounts at the payment processor, and how each fares. */
export function Connections() {
  const t = useTexts(paymentTexts);
  const { tenantId } = usePlace(place);
  const mayChange = useMay(tenantId, 'administer');
  const { data, error, isPending, refetch, dataUpdatedAt } = useQuery(
    apiQuery('listConnections', { path: { tenantId } }),
  );
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        {t.connections}
      </Title>
      {isPending && <Loading />}
      {data === undefined && error && <Failed error={error} onRetry={() => void refetch()} />}
      {data && <Stale error={error} updatedAt={dataUpdatedAt} />}
      {data?.statusUnavailable !== undefined && <CustomerText text={data.statusUnavailable} />}
      {data?.connections.length === 0 && <Text>{t.noConnection}</Text>}
      {data?.connections.map((each) => (
        <Stack key={each.connectionId} gap="xs">
          <ConnectionFacts of={each} />
          {mayChange && each.status !== 'disconnected' && <ConnectionActions of={each} />}
        </Stack>
      ))}
      {mayChange && <Connect />}
    </Stack>
  );
}

function ConnectionFacts({ of }: { of: Connection }) {
  const t = useTexts(paymentTexts);
  return (
    <Facts
      of={[
        [t.connection, <CustomerText text={of.connectionId} />],
        [t.status, <StateBadge tone={tones[of.status]}>{t.statuses[of.status]}</StateBadge>],
        [t.mode, of.livemode === null ? undefined : of.livemode ? t.live : t.testMode],
        [t.tax, t.taxes[of.taxPolicy]],
        [t.apiVersion, of.apiVersion],
        [t.webhookUrl, <CustomerText text={of.webhookUrl} />],
        [t.lastEvent, of.lastEventAt ? <Time at={of.lastEventAt} /> : undefined],
        [t.lastEvent, of.silent === true ? t.silent : undefined],
        [
          t.failing,
          of.failing ? (
            <>
              <Time at={of.failing.since} /> <CustomerText text={of.failing.detail} />
            </>
          ) : undefined,
        ],
        [
          t.changed,
          <>
            <Time at={of.changedAt} />
            {of.changedBy !== undefined && (
              <>
                {' '}
                {t.by} <Actor id={of.changedBy} inSentence />
              </>
            )}
          </>,
        ],
      ]}
    />
  );
}

function Connect() {
  const t = useTexts(paymentTexts);
  const { tenantId } = usePlace(place);
  return (
    <Group>
      <ActionButton
        name="connectProcessor"
        variant="filled"
        label={t.connect}
        title={t.connect}
        text={t.connectText}
        fields={[
          { key: 'apiKey', label: t.apiKey, kind: 'password', required: true },
          { key: 'taxPolicy', label: t.taxPolicy, value: 'gross' },
        ]}
        done={t.connected}
        result={({ check }) => check && <Findings of={check.findings} />}
        asked={({ apiKey = '', taxPolicy }) => ({
          path: { tenantId },
          body: { apiKey, taxPolicy: taxPolicy === 'net' ? 'net' : 'gross' },
        })}
      />
    </Group>
  );
}

/** What a look at the processor found, each with a word and a mark. */
export function Findings({
  of,
}: {
  of: readonly { check: string; ok: boolean; detail: string }[];
}) {
  return (
    <List size="sm" listStyleType="none">
      {of.map(({ check, ok, detail }) => (
        <List.Item key={check}>
          {ok ? '✓' : '✗'} {check}: <CustomerText text={detail} />
        </List.Item>
      ))}
    </List>
  );
}

import { Group, Stack, Title } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { Failed, Loading, Stale } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { replayTexts } from './texts.ts';

type Generation = AnswerOf<'listGenerations'>['generations'][number];

const tones: Readonly<Record<Generation['status'], Tone>> = {
  building: 'waiting',
  live: 'good',
  kept: 'quiet',
  lost: 'bad',
};

/** Which generations of the state there are, and which one is live. */
export function Generations() {
  const t = useTexts(replayTexts);
  const { data, error, isPending, refetch, dataUpdatedAt } = useQuery({
    ...apiQuery('listGenerations', {}),
    refetchInterval: 10_000,
  });
  if (isPending) return <Loading />;
  if (data === undefined) return error && <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        {t.generations}
      </Title>
      <Stale error={error} updatedAt={dataUpdatedAt} />
      <SmallTable
        caption={t.generations}
        minWidth={640}
        rows={data.generations}
        idOf={({ number }) => String(number)}
        columns={[
          [t.number, ({ number }) => number],
          [
            t.status,
            ({ status }) => <StateBadge tone={tones[status]}>{t.statuses[status]}</StateBadge>,
          ],
          [t.foldVersion, ({ foldVersion }) => foldVersion],
          [t.createdAt, ({ createdAt }) => <Time at={createdAt} />],
          [t.note, ({ note }) => note !== undefined && <CustomerText text={note} />],
          [t.actions, (each) => each.status !== 'live' && <Actions of={each} />],
        ]}
      />
    </Stack>
  );
}

function Actions({ of: { number, status } }: { of: Generation }) {
  const t = useTexts(replayTexts);
  const path = { number: String(number) };
  return (
    <Group gap="xs" wrap="nowrap">
      {status !== 'lost' && (
        <ActionButton
          name="startSwap"
          label={t.swap}
          title={t.swap}
          text={t.swapText}
          done={t.swapStarted}
          asked={() => ({ path, body: {} })}
        />
      )}
      <ActionButton
        name="startDrop"
        label={t.drop}
        title={t.drop}
        text={t.dropText}
        danger
        done={t.dropStarted}
        asked={() => ({ path, body: {} })}
      />
    </Group>
  );
}

import { Group, List, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { language } from '../../i18n/language.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../../parts/amount.tsx';
import { formatDecimal } from '../../parts/amounts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { RewardDecision } from '../../parts/reward-decision/reward-decision.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { place } from './place.ts';
import { rewardTones } from '../../parts/story/tones.ts';
import type { RewardRow } from './screen.tsx';
import { rewardTexts } from './texts.ts';

/** A reward with its arithmetic, what may be done about it, and the chain that led to it. */
export function RewardDetail({ rewardId, row }: { rewardId: string; row: RewardRow | undefined }) {
  const t = useTexts(rewardTexts);
  const { tenantId } = usePlace(place);
  const chain = useQuery(apiQuery('explain', { path: { tenantId }, query: { reward: rewardId } }));
  return (
    <Stack>
      {row && <Actions row={row} />}
      {row && <RewardFacts row={row} />}
      {row && <Arithmetic row={row} />}
      <Title order={3} size="h4">
        {t.chain}
      </Title>
      {chain.data && <PlainText text={chain.data.text} label={t.chain} />}
      {chain.isPending && <Loading />}
      {chain.error && <Failed error={chain.error} onRetry={() => void chain.refetch()} />}
    </Stack>
  );
}

function Actions({ row }: { row: RewardRow }) {
  const { tenantId } = usePlace(place);
  const mayReview = useMay(tenantId, 'review');
  if (!mayReview) return null;
  const { state, rewardId } = row;
  const path = { tenantId, rewardId };
  return (
    <Group gap="xs">
      {(state === 'review' || state === 'held' || state === 'withheld') && (
        <RewardDecision kind="release" path={path} />
      )}
      {(state === 'review' || state === 'held') && <RewardDecision kind="withhold" path={path} />}
    </Group>
  );
}

function RewardFacts({ row }: { row: RewardRow }) {
  const t = useTexts(rewardTexts);
  const chosen = language.use();
  return (
    <Facts
      of={[
        [t.state, <StateBadge tone={rewardTones[row.state]}>{t.states[row.state]}</StateBadge>],
        [t.recipient, <CustomerText text={row.recipientId} />],
        [t.role, t.roles[row.recipientRole]],
        [
          t.campaign,
          <>
            <CustomerText text={row.campaignId} />, {t.revision(row.campaignRevision)}
          </>,
        ],
        [t.rule, <CustomerText text={row.ruleId} />],
        [t.event, <CustomerText text={row.eventId} />],
        [t.entitled, <Amount value={row.entitledCredits} />],
        [t.issued, <Amount value={row.issuedCredits} />],
        [
          t.open,
          row.open.length === 0
            ? undefined
            : row.open
                .map(({ credits, as }) => t.openAs(formatDecimal(credits, chosen), as))
                .join(', '),
        ],
        [t.recordedAt, <Time at={row.recordedAt} />],
        [t.maturesAt, row.maturesAt === undefined ? undefined : <Time at={row.maturesAt} />],
      ]}
    />
  );
}

function Arithmetic({ row }: { row: RewardRow }) {
  const t = useTexts(rewardTexts);
  return (
    <>
      <Title order={3} size="h4">
        {t.tests}
      </Title>
      <List size="sm">
        {row.tests.map(({ test, passed, detail }) => (
          <List.Item key={test + detail}>
            <StateBadge tone={passed ? 'good' : 'bad'}>
              {passed ? t.passed : t.notPassed}
            </StateBadge>{' '}
            <CustomerText text={detail} />
          </List.Item>
        ))}
      </List>
      <Title order={3} size="h4">
        {t.calculation}
      </Title>
      <List size="sm">
        {row.calculation.map(({ step, detail, credits }, index) => (
          <List.Item key={`${step}-${index}`}>
            <CustomerText text={detail} /> → <Amount value={credits} />
          </List.Item>
        ))}
      </List>
    </>
  );
}

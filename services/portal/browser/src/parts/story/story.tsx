import { Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../customer-text.tsx';
import { Facts } from '../facts.tsx';
import { Money } from '../money.tsx';
import { Part } from '../part.tsx';
import { StateBadge } from '../state-badge.tsx';
import { Time } from '../time.tsx';
import { Issued, RewardStory, SilentRules } from './reward-story.tsx';
import { Tests } from './tests.tsx';
import { storyTexts } from './texts.ts';
import { outcomeTones } from './tones.ts';

export type StoryRecord = AnswerOf<'explain'>['stories'][number];

/**
 * The chain of one event, as records: what was reported, what was decided and by which tests, what
 * it earned and how that was calculated, what was issued, and each attempt to tell the receiver.
 */
export function Story({ of: story }: { of: StoryRecord }) {
  const t = useTexts(storyTexts);
  const hasIssued = story.rewards.some(({ issuances }) => issuances.length > 0);
  return (
    <Stack>
      <Part title={t.fact}>
        {story.fact ? <Reported of={story.fact} /> : <Text>{t.noFact}</Text>}
      </Part>
      <Part title={t.decision}>
        {story.decision ? <Decided of={story.decision} /> : <Text>{t.noDecision}</Text>}
        <Related title={t.refunds} of={story.refunds} />
        <Related title={t.duplicates} of={story.duplicates} />
      </Part>
      <Part title={t.rewards}>
        {story.rewards.map((each) => (
          <RewardStory key={each.reward.rewardId} of={each} />
        ))}
        {story.rewards.length === 0 && <Text>{t.noRewards}</Text>}
        <SilentRules of={story.silentRules} />
      </Part>
      <Part title={t.issued}>
        {story.rewards.map((each) => (
          <Issued key={each.reward.rewardId} of={each} />
        ))}
        {!hasIssued && <Text>{t.nothingIssued}</Text>}
      </Part>
    </Stack>
  );
}

function Reported({ of: fact }: { of: NonNullable<StoryRecord['fact']> }) {
  const t = useTexts(storyTexts);
  const payment =
    fact.eventType === 'purchase-created'
      ? fact.purchase
      : fact.eventType === 'purchase-refunded'
        ? fact.refund
        : undefined;
  return (
    <Facts
      of={[
        [t.event, <CustomerText text={fact.eventId} />],
        [t.type, t.types[fact.eventType]],
        [t.source, t.sources[fact.source]],
        [t.accessKey, fact.accessKeyId && <CustomerText text={fact.accessKeyId} />],
        [t.occurredAt, <Time at={fact.occurredAt} />],
        [t.receivedAt, <Time at={fact.receivedAt} />],
        [t.newUser, <CustomerText text={fact.newUser.id} />],
        [t.ucc, <CustomerText text={fact.ucc} />],
        [t.invoice, payment?.invoiceId && <CustomerText text={payment.invoiceId} />],
        [t.amount, payment && <Money minor={payment.amount} currency={payment.currency} />],
        ...(fact.warnings ?? []).map(
          ({ code, detail }) => [t.warnings, <CustomerText text={`${code}: ${detail}`} />] as const,
        ),
      ]}
    />
  );
}

function Decided({ of: decision }: { of: NonNullable<StoryRecord['decision']> }) {
  const t = useTexts(storyTexts);
  const { outcome, reason, campaignId, campaignRevision, referrerId } = decision;
  return (
    <>
      <Facts
        of={[
          [t.outcome, <StateBadge tone={outcomeTones[outcome]}>{t.outcomes[outcome]}</StateBadge>],
          [t.reason, reason && t.reasons[reason]],
          [t.referrer, referrerId && <CustomerText text={referrerId} />],
          [
            t.campaign,
            campaignId && (
              <>
                <CustomerText text={campaignId} />
                {campaignRevision !== undefined && `, ${t.revision(campaignRevision)}`}
              </>
            ),
          ],
          [t.version, String(decision.version)],
        ]}
      />
      <Tests of={decision.tests} />
    </>
  );
}

function Related({ title, of }: { title: string; of: StoryRecord['refunds'] }) {
  const t = useTexts(storyTexts);
  if (of.length === 0) return null;
  return (
    <Facts
      of={of.map(
        ({ eventId, occurredAt, payment, source }) =>
          [
            title,
            <>
              <CustomerText text={eventId} />, <Time at={occurredAt} />
              {payment && (
                <>
                  , <Money minor={payment.amount} currency={payment.currency} />
                </>
              )}{' '}
              ({t.source} {source})
            </>,
          ] as const,
      )}
    />
  );
}

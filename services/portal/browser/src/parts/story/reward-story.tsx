import { Stack, Table, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../actor/actor.tsx';
import { Amount } from '../amount.tsx';
import { CustomerText } from '../customer-text.tsx';
import { Facts } from '../facts.tsx';
import { PartTitle } from '../part.tsx';
import { ScrollBox } from '../scroll-box.tsx';
import { StateBadge } from '../state-badge.tsx';
import { Time } from '../time.tsx';
import { DeliverySteps } from './delivery-steps.tsx';
import { Tests } from './tests.tsx';
import { storyTexts } from './texts.ts';
import { rewardTones } from './tones.ts';

export type RewardInStory = AnswerOf<'explain'>['stories'][number]['rewards'][number];

/** A reward of a story: what it is, each step of its arithmetic, and what people did about it. */
export function RewardStory({
  of: { reward, open, recipientOwes, actions },
}: {
  of: RewardInStory;
}) {
  const t = useTexts(storyTexts);
  return (
    <Stack gap="xs">
      <Facts
        of={[
          [t.reward, <CustomerText text={reward.rewardId} />],
          [
            t.state,
            <StateBadge tone={rewardTones[reward.state]}>{t.states[reward.state]}</StateBadge>,
          ],
          [t.recipient, <CustomerText text={reward.recipientId} />],
          [t.rule, <CustomerText text={reward.ruleId} />],
          [t.entitled, <Amount value={reward.entitledCredits} />],
          [t.issuedCredits, <Amount value={reward.issuedCredits} />],
          [t.maturesAt, reward.maturesAt && <Time at={reward.maturesAt} />],
          ...open.map(
            ({ as, credits }) =>
              [
                t.open,
                <>
                  <Amount value={credits} /> {t.openAs[as]}
                </>,
              ] as const,
          ),
          [
            t.owes,
            open.length > 0 && recipientOwes !== '0' ? <Amount value={recipientOwes} /> : undefined,
          ],
        ]}
      />
      <Arithmetic of={reward.calculation} />
      <Tests of={reward.tests} />
      {actions.map(({ actionId, type, by, at, note }) => (
        <Text key={actionId} size="sm">
          <Time at={at} />: {t.actions[type]} {t.by} <Actor id={by} inSentence />
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

export function Arithmetic({ of }: { of: RewardInStory['reward']['calculation'] }) {
  const t = useTexts(storyTexts);
  return (
    <ScrollBox name={t.calculation}>
      <Table fz="sm">
        <Table.Caption>{t.calculation}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.step}</Table.Th>
            <Table.Th ta="end">{t.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.map(({ step, detail, credits }, index) => (
            <Table.Tr key={index}>
              <Table.Td>
                {index + 1}. {step} – <CustomerText text={detail} />
              </Table.Td>
              <Table.Td ta="end">
                <Amount value={credits} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

/** What was issued of it, and each attempt of its webhooks. */
export function Issued({ of: { issuances } }: { of: RewardInStory }) {
  const t = useTexts(storyTexts);
  return (
    <>
      {issuances.map(({ issuance, deliveries }) => (
        <Stack gap={4} key={issuance.issuanceId}>
          <Facts
            of={[
              [t.issuance, <CustomerText text={issuance.issuanceId} />],
              [t.issuedCredits, <Amount value={issuance.credits} />],
              [t.states.issued, <Time at={issuance.issuedAt} />],
              [t.webhookEvent, <CustomerText text={issuance.webhookEventId} />],
            ]}
          />
          <DeliverySteps of={deliveries} />
        </Stack>
      ))}
    </>
  );
}

export function SilentRules({ of }: { of: AnswerOf<'explain'>['stories'][number]['silentRules'] }) {
  const t = useTexts(storyTexts);
  return (
    <>
      {of.map(({ ruleId, tests }) => (
        <Stack gap={4} key={ruleId}>
          <PartTitle>
            <CustomerText text={t.silent(ruleId)} />
          </PartTitle>
          <Tests of={tests} />
        </Stack>
      ))}
    </>
  );
}

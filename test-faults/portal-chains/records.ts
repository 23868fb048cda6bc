import type { AnswerOf } from '../../packages/admin-client/src/create-admin-client.ts';
import { decisionCodec, type DecisionRecord } from '@tributary/contracts/decision-record';
import { deliveryCodec } from '@tributary/contracts/delivery-record';
import { eventCodec } from '@tributary/contracts/event-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import type { Codec } from '@tributary/contracts/record';
import { rewardCodec } from '@tributary/contracts/reward-record';
import type { Topic } from '@tributary/contracts/topics';
import { expect } from 'chai';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { readLog } from '../read-log.ts';

/** What stands on the log about a tenant: who asks no service knows this. */
export type Records = Awaited<ReturnType<typeof readRecords>>;

export async function readRecords(demo: Demo, tenantId: string) {
  const read = async <T extends { tenantId: string }>(topic: Topic, codec: Codec<T>) =>
    (await readLog(demo, topic, codec))
      .map(({ value }) => value)
      .filter((value) => value.tenantId === tenantId);
  const [events, decisions, rewards, issuances, deliveries] = await Promise.all([
    read('events', eventCodec),
    read('attributions', decisionCodec),
    read('rewards', rewardCodec),
    read('issuances', issuanceCodec),
    read('deliveries', deliveryCodec),
  ]);
  return {
    events: new Map(events.map((event) => [event.eventId, event])),
    decisions: Map.groupBy(decisions, ({ eventId }) => eventId),
    rewards: latestOf(rewards, ({ rewardId }) => rewardId),
    issuances: issuances.flatMap((each) => (each.type === 'issued' ? [each] : [])),
    deliveries,
  };
}

/** The newest version of a decision that there is. */
export function decisionOf({ decisions }: Records, eventId: string): DecisionRecord | undefined {
  return latestOf(decisions.get(eventId) ?? [], () => eventId)[0];
}

function latestOf<T extends { version: number }>(records: readonly T[], idOf: (of: T) => string) {
  const latest = new Map<string, T>();
  for (const record of records) {
    const before = latest.get(idOf(record));
    if (before === undefined || before.version < record.version) latest.set(idOf(record), record);
  }
  return [...latest.values()];
}

/** That a chain as it was told holds these records, all of them and unchanged. */
export function expectRecorded(
  story: AnswerOf<'explain'>['stories'][number],
  records: Records,
): void {
  const { eventId } = story;
  // By what a request is known again is nobody's to be told.
  const { idempotency: _own, ...fact } = records.events.get(eventId)!;
  expect(story.fact).to.deep.equal(fact);
  expect(story.decision).to.deep.equal(decisionOf(records, eventId));
  const told = new Set(story.rewards.map(({ reward }) => reward.rewardId));
  const own = records.rewards.filter((reward) => reward.eventId === eventId);
  // A refund tells of the rewards of its purchase besides.
  for (const { rewardId } of own) expect(told).to.include(rewardId);
  for (const { reward, issuances } of story.rewards) {
    const { state, ...recorded } = records.rewards.find(
      ({ rewardId }) => rewardId === reward.rewardId,
    )!;
    expect(reward).to.deep.include(recorded);
    const isCapped = state === 'reversed' && reward.state === 'capped';
    expect(isCapped ? state : reward.state).to.equal(state);
    const { rewardId } = reward;
    const issued = records.issuances.filter((each) => each.rewardId === rewardId);
    expect(issuances.map(({ issuance }) => issuance)).to.have.deep.members(issued);
    for (const { issuance, deliveries } of issuances) {
      const { webhookEventId } = issuance;
      const attempts = records.deliveries.filter((each) => each.webhookEventId === webhookEventId);
      expect(deliveries).to.have.deep.members(attempts);
    }
  }
}

import type { CampaignRevisionRecord, TenantRecord } from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import { topics as topicTable } from '@tributary/contracts/topics';
import { expectedDecisions, type ExpectedDecision } from '../../oracle/decisions.ts';
import { asDecimal, compare, zero } from '../../oracle/rational.ts';
import { expectedRewards } from '../../oracle/rewards.ts';
import type { World } from '../../oracle/world.ts';
import type { Evidence, TableRow } from '../evidence.ts';
import { generationOf, generationsOf, liveOf } from './live.ts';
import { creditsOf, currentOf, entitled, objectsOf, type RewardRecord } from './money.ts';
import { distinctEvents } from './reported-events.ts';
import { createVerdict, type Verdict } from './verdict.ts';

export type DecisionRecord = {
  eventId: string;
  version: number;
  outcome: string;
  reason?: string;
  duplicateOf?: string;
  refundOf?: string;
  referrerId?: string;
  campaignId?: string;
  campaignRevision?: number;
  reversals?: { eventId: string; reversedAmount: number; full: boolean }[];
};

/**
 * Whatever the order in which facts came, how often, and who died meanwhile: the decisions and
 * rewards are those that the oracle (test-faults/oracle), which knows no order and no processes,
 * gives for the set of facts on the log.
 */
export function stateIsOfTheFacts(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const live = liveOf(evidence);
  const world = worldOf(evidence);
  const expected = expectedDecisions(world);
  const decided = new Map(
    currentOf(
      objectsOf<DecisionRecord>(live.records('attributions')).filter(isDecision),
      ({ eventId }) => eventId,
    ).map((decision) => [decision.eventId, decision]),
  );
  const facts = new Map(
    live.rows('attribution', 'fact').map((row) => [row['event_id'], row['outcome']]),
  );
  for (const [eventId, decision] of expected) {
    const right = textOfExpected(decision);
    const found = decided.get(eventId);
    const told = found === undefined ? 'nothing' : textOfDecision(found);
    const stored = facts.get(eventId);
    if (told !== right) judge(`event ${eventId} is decided as ${told}, and should be ${right}`);
    else if (stored !== decision.outcome) judge(`event ${eventId} is ${stored} in the table`);
    else judge(undefined);
  }
  const rewards = new Map(
    expectedRewards(world, expected)
      .filter((reward) => compare(reward.entitled, zero) > 0)
      .map((reward) => {
        const { tenantId, businessKey, campaignId, ruleId, role, recipientId } = reward;
        const name = [tenantId, businessKey, campaignId, ruleId, role, recipientId];
        return [JSON.stringify(name), reward];
      }),
  );
  const stored = new Map(entitled(evidence).map((row) => [rewardName(row), row['entitled']]));
  const holds = new Map(
    currentOf(objectsOf<RewardRecord>(live.records('rewards')), ({ rewardId }) => rewardId).map(
      (reward) => [publishedName(reward), reward.maturesAt],
    ),
  );
  for (const [name, { entitled: credits, maturesAt }] of rewards) {
    const found = stored.get(name);
    const should = `${name} should have ${asDecimal(credits)} credits`;
    const held = holds.get(name);
    if (found === undefined) judge(`${should}, and has none`);
    else if (compare(creditsOf(found), credits) !== 0) judge(`${should}, and has ${found}`);
    else if (held === maturesAt) judge(undefined);
    else judge(`${should}, held until ${maturesAt}, and is held until ${held}`);
  }
  for (const [name, credits] of stored) {
    if (!rewards.has(name)) breaks(`${name} has ${credits} credits, and should have none`);
  }
  return verdict;
}

export function worldOf(evidence: Evidence): World {
  type Entity = { entity?: string };
  const catalog = objectsOf<Entity>(evidence.topics[topicTable.catalog.name]);
  const once = <T>(records: readonly T[]) => [
    ...new Map(records.map((record) => [JSON.stringify(record), record])).values(),
  ];
  const entities = <T>(name: string) =>
    once(catalog.filter(({ entity }) => entity === name)) as unknown as T[];
  const codes = (evidence.topics[topicTable.codes.name] ?? []).flatMap(
    ({ value }): CodeRecord[] => {
      const decoded = codeCodec.decode(value === null ? null : Buffer.from(value));
      return decoded.outcome === 'record' ? [decoded.value] : [];
    },
  );
  return {
    events: distinctEvents(evidence),
    codes: once(codes),
    tenants: entities<TenantRecord>('tenant'),
    revisions: entities<CampaignRevisionRecord>('campaign-revision'),
  };
}

function isDecision({ eventId, version, outcome }: DecisionRecord): boolean {
  return typeof eventId === 'string' && Number.isInteger(version) && typeof outcome === 'string';
}

export function textOfExpected(decision: ExpectedDecision): string {
  const { reversals, ...rest } = decision;
  const numbers = reversals.map((step) => ({
    ...step,
    reversedAmount: Number(step.reversedAmount),
  }));
  return textOfDecision({ ...rest, reversals: numbers });
}

/** What a decision comes to; how it is told is not compared. */
export function textOfDecision(decision: Omit<DecisionRecord, 'version'>): string {
  const { outcome, reason, duplicateOf, refundOf, referrerId, reversals = [] } = decision;
  const { campaignId, campaignRevision } = decision;
  const isAttributed = outcome === 'attributed';
  return JSON.stringify({
    ...{ outcome, reason, duplicateOf, refundOf },
    // What was looked at before a test failed means nothing.
    ...(isAttributed && { referrerId, campaignId, campaignRevision }),
    reversals: reversals.map(({ eventId, reversedAmount, full }) => [
      eventId,
      reversedAmount,
      full,
    ]),
  });
}

function rewardName(row: TableRow): string {
  return JSON.stringify(
    ['tenant_id', 'business_key', 'campaign_id', 'rule_id', 'recipient_role', 'recipient_id'].map(
      (column) => row[column],
    ),
  );
}

function publishedName(reward: RewardRecord): string {
  const { tenantId, businessKey, campaignId, ruleId, recipientRole, recipientId } = reward;
  return JSON.stringify([tenantId, businessKey, campaignId, ruleId, recipientRole, recipientId]);
}

/**
 * A generation that is built from the log alone has the same decisions and rewards as the live one,
 * and as every other that is run; and while it was built no customer got anything.
 */
export function rebuildIsLive(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const { rebuild } = evidence.row;
  if (rebuild === undefined) return verdict;
  const { generation, outcome, beganAt, endedAt } = rebuild;
  if (outcome !== 'ready') breaks(`the rebuild ended as ${outcome}`);
  const built = stateOf(evidence, generation);
  for (const number of generationsOf(evidence).run) {
    const state = stateOf(evidence, number);
    for (const [name, content] of state) {
      const other = built.get(name);
      const what = `${name} of generation ${number} is ${content}, and when rebuilt ${other}`;
      judge(other === content ? undefined : what);
    }
    for (const [name, content] of built) {
      if (state.has(name)) continue;
      breaks(`${name} is not there in generation ${number}, and when rebuilt ${content}`);
    }
  }
  for (const webhook of evidence.webhooks) {
    if (webhook.at >= beganAt && webhook.at <= endedAt) {
      breaks(`the rebuild sent ${webhook.body} to ${webhook.tenantId} at ${webhook.at}`);
    }
  }
  return verdict;
}

function stateOf(evidence: Evidence, generation: number): Map<string, string> {
  const facts = generationOf(evidence, generation).rows('attribution', 'fact');
  const state = new Map<string, string>();
  for (const { event_id: id, tenant_id: tenant, outcome, campaign_id: campaign, digest } of facts) {
    state.set(`the decision on event ${id}`, JSON.stringify([tenant, outcome, campaign, digest]));
  }
  for (const row of entitled(evidence, generation)) {
    const credits = asDecimal(creditsOf(row['entitled']));
    state.set(`reward ${row['reward_id']}`, `${rewardName(row)}: ${credits}`);
  }
  return state;
}

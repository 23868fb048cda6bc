import { createHash } from 'node:crypto';
import { type DecisionRecord, decisionCodec } from '@tributary/contracts/decision-record';
import { type RewardRecord, rewardCodec } from '@tributary/contracts/reward-record';
import { decisionDigest } from '@tributary/contracts/state-item';
import { expect } from 'chai';
import type pg from 'pg';
import type { Topics } from './topics.ts';

/** Name to content: of a decision or an entitlement, what design 4, promise 4 calls current. */
export type CurrentState = { decisions: Map<string, string>; entitlements: Map<string, string> };

/** From the tables of attribution and rewards. */
export async function readState(db: pg.ClientBase, generation = 1): Promise<CurrentState> {
  const decisions = await readRows(db, generation);
  const entitlements = await db.query<Record<string, string>>(
    `select reward_id, tenant_id, recipient_id, campaign_id, rule_id, recipient_role, business_key,
            trim_scale(entitled)::text as entitled
     from rewards_g${generation}.entitlement where entitled > 0`,
  );
  return {
    decisions: new Map(decisions.map((row) => [row.event_id, rowText(row)])),
    entitlements: new Map(entitlements.rows.map((row) => [row['reward_id']!, canonical(row)])),
  };
}

/**
 * The decisions of the first generation in full: from the log, which has them, after a look at the
 * table, which has their versions and digests.
 */
export async function readDecisions(
  db: Pick<pg.ClientBase, 'query'>,
  topics: Topics,
): Promise<DecisionRecord[]> {
  const published = await readHighest(topics);
  const stored = (await readRows(db, 1)).map((row) => canonical(row));
  expect(published.map((record) => canonical(rowOf(record)))).to.have.members(stored);
  return published;
}

async function readHighest(topics: Topics): Promise<DecisionRecord[]> {
  return highest(await topics.read('attributions', decisionCodec), ({ decisionId }) => decisionId);
}

/** From the topics: of each entity the record with the highest version. */
export async function readPublished(topics: Topics): Promise<CurrentState> {
  const decisions = await readHighest(topics);
  const rewards = highest(await topics.read('rewards', rewardCodec), ({ rewardId }) => rewardId);
  return {
    decisions: new Map(decisions.map((record) => [record.eventId, rowText(rowOf(record))])),
    entitlements: new Map(
      rewards
        .filter((reward) => reward.entitledCredits !== '0')
        .map((reward) => [reward.rewardId, entitlementOf(reward)]),
    ),
  };
}

function highest<T extends { version: number }>(records: T[], idOf: (record: T) => string): T[] {
  const found = new Map<string, T>();
  for (const record of records) {
    const known = found.get(idOf(record));
    if (!known || record.version > known.version) found.set(idOf(record), record);
  }
  return [...found.values()];
}

/** What attribution keeps of a decision. */
type DecisionRow = Awaited<ReturnType<typeof readRows>>[number];

async function readRows(db: Pick<pg.ClientBase, 'query'>, generation: number) {
  const { rows } = await db.query<{
    event_id: string;
    tenant_id: string;
    version: number;
    outcome: string;
    campaign_id: string | null;
    digest: Buffer;
  }>(
    `select event_id, tenant_id, version, outcome, campaign_id, digest
     from attribution_g${generation}.fact`,
  );
  return rows.map((row) => ({ ...row, digest: row.digest.toString('base64url') }));
}

function rowOf(record: DecisionRecord): DecisionRow {
  const { eventId, tenantId, version, outcome, campaignId = null } = record;
  return {
    ...{ event_id: eventId, tenant_id: tenantId, version, outcome, campaign_id: campaignId },
    digest: decisionDigest(record),
  };
}

/** Without its version, which is history. */
function rowText({ version: _version, ...row }: DecisionRow): string {
  return canonical(row);
}

function entitlementOf(reward: RewardRecord): string {
  const { tenantId, campaignId, ruleId, recipientRole, recipientId, businessKey } = reward;
  return canonical({
    reward_id: reward.rewardId,
    tenant_id: tenantId,
    recipient_id: recipientId,
    campaign_id: campaignId,
    rule_id: ruleId,
    recipient_role: recipientRole,
    business_key: businessKey,
    entitled: reward.entitledCredits,
  });
}

export function hashOf({ decisions, entitlements }: CurrentState): string {
  const hash = createHash('sha256');
  for (const part of [decisions, entitlements]) {
    for (const [name, content] of [...part].sort(([a], [b]) => (a < b ? -1 : 1))) {
      hash.update(`${name} ${content}\n`);
    }
    hash.update('\n');
  }
  return hash.digest('hex');
}

/** The first few of what one has and the other has not, or has otherwise. */
export function differences(one: CurrentState, other: CurrentState): string[] {
  return (['decisions', 'entitlements'] as const).flatMap((part) => {
    const names = new Set([...one[part].keys(), ...other[part].keys()]);
    const different = [...names].filter((name) => one[part].get(name) !== other[part].get(name));
    return different
      .slice(0, 3)
      .map((name) => `${part}: ${one[part].get(name)} but ${other[part].get(name)}`)
      .concat(different.length > 3 ? [`${part}: ${different.length} in all`] : []);
  });
}

/** JSON with the members of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

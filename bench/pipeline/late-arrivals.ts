import type { CampaignRule, RecipientLimit } from '@tributary/contracts/campaign-rule';
import { purchaseBusinessKey } from '@tributary/contracts/business-key';
import { type DecisionRecord, decisionSchemaVersion } from '@tributary/contracts/decision-record';
import { rewardCodec } from '@tributary/contracts/reward-record';
import { derivedId } from '@tributary/contracts/derived-id';
import { withClient } from '@tributary/testkit/database';
import { startFold } from '../../deploy/local/start-fold.ts';
import { rewardsBacklog } from '../../test-faults/chain/backlog.ts';
import { openTopics } from '../../test-faults/chain/topics.ts';
import { createRandom } from '../../test-faults/chain/random.ts';
import { type BenchServers } from './servers.ts';
import { untilBegun, untilDrained } from './until-drained.ts';
import { revisionOf, tenantId } from './workload.ts';

export type LateArrivals = {
  rule: string;
  perReferrer: number;
  events: number;
  seconds: number;
  /** Microseconds. */
  perEventUs: number;
};

const capped = (limit: RecipientLimit) => ({ perRecipient: [limit] });

/**
 * Rules whose rewards depend on what came before: the fold has to look back, and change later ones.
 */
export const lateRules: Record<string, Pick<CampaignRule, 'effect' | 'limits'>> = {
  'monthly cap, reached': {
    effect: { kind: 'fixed', credits: '10' },
    limits: capped({ period: 'month', credits: '25' }),
  },
  tiers: {
    effect: {
      kind: 'tiered',
      tiers: [1, 10, 50].map((fromCount) => ({
        fromCount,
        effect: { kind: 'fixed', credits: String(fromCount) },
      })),
    },
  },
  'monthly cap, never reached': {
    effect: { kind: 'fixed', credits: '10' },
    limits: capped({ period: 'month', credits: '100000000' }),
  },
};

const few = 100;

/** Each rule with referrers who have a hundred purchases, and with one who has all. */
export async function measureLateArrivals(
  servers: BenchServers,
  events: number,
  progress: (line: string) => void,
): Promise<LateArrivals[]> {
  const runs: LateArrivals[] = [];
  for (const [i, rule] of Object.keys(lateRules).entries()) {
    for (const perReferrer of [few, events]) {
      const name = `late_${i}_${perReferrer}`;
      runs.push(await runLateArrivals({ servers, rule, events, perReferrer, name, progress }));
    }
  }
  return runs;
}

/**
 * Purchases of a year, each by another user, that reach rewards in random order: `events` of one
 * referrer, or the same number shared by referrers who have 100 each. Decisions are put on the log
 * directly, since it is the recipient's fold that has to look back. Each run has topics and a
 * database of its own.
 */
async function runLateArrivals(options: {
  servers: BenchServers;
  rule: keyof typeof lateRules;
  events: number;
  perReferrer: number;
  name: string;
  progress: (line: string) => void;
}): Promise<LateArrivals> {
  const { servers, rule, events, perReferrer, name, progress } = options;
  const topics = await openTopics(servers.kafkaBrokers, `${name}.`);
  const postgresUrl = await servers.createDatabase(name);
  const stops: (() => Promise<unknown>)[] = [() => topics.close()];
  try {
    await topics.append([
      revisionOf(campaignId, [
        {
          ruleId: 'purchase',
          trigger: 'purchase-created',
          recipient: 'referrer',
          // Held for ever: what is measured is the fold, not the release.
          holdDays: 3_650,
          ...lateRules[rule]!,
        },
      ]),
    ]);
    const group = await startFold('rewards', {
      ...servers,
      postgresUrl,
      topicPrefix: `${name}.`,
      say: progress,
      variables: { TRIBUTARY_LOG_LEVEL: 'warn' },
    });
    stops.unshift(() => group.stop());
    await group.ready();
    const what = `${rule}, ${perReferrer} each`;
    const seconds = await withClient(postgresUrl, async (db) => {
      const drained = (startedAt: number) =>
        untilDrained({ what, startedAt, read: () => rewardsBacklog(db, topics), progress });
      await drained(performance.now());
      const service = group.replicas[0]!;
      await service.stop();
      const decisions = Array.from({ length: events }, (_, n) =>
        decisionOf(n, events, perReferrer),
      );
      await topics.append(createRandom(events).shuffle(decisions));
      const restarted = service.restart();
      const startedAt = await untilBegun(db, 'rewards_g1', topics.nameOf('attributions'));
      await restarted;
      return drained(startedAt);
    });
    const given = new Set((await topics.read('rewards', rewardCodec)).map((r) => r.rewardId)).size;
    if (given !== events) throw new Error(`${given} rewards for ${events} purchases`);
    const perEventUs = (seconds * 1_000_000) / events;
    progress(`${what}: ${perEventUs.toFixed(0)} µs per event`);
    return { rule, perReferrer, events, seconds, perEventUs };
  } finally {
    for (const stop of stops) await stop();
  }
}

const campaignId = 'late';
const yearStart = Date.UTC(2025, 0, 1) / 1_000;
const yearSeconds = 365 * 86_400;

/** Each referrer's purchases are spread over the year. */
function decisionOf(n: number, events: number, perReferrer: number): DecisionRecord {
  const eventId = `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const place = Math.floor(n / Math.ceil(events / perReferrer)) / perReferrer;
  const seconds = yearStart + Math.floor(place * yearSeconds) + (n % 60);
  const invoiceId = `inv_${n}`;
  return {
    schemaVersion: decisionSchemaVersion,
    decisionId: derivedId('decision', tenantId, eventId),
    version: 1,
    tenantId,
    eventId,
    eventType: 'purchase-created',
    source: 'v2',
    newUserId: `user_${n}`,
    ucc: 'some-code',
    occurredAt: new Date(seconds * 1_000).toISOString(),
    occurredAtSeconds: String(seconds),
    receivedAt: '2026-01-15T10:00:00.000Z',
    purchase: { invoiceId, currency: 'EUR', amount: 4_900 },
    businessKey: purchaseBusinessKey(tenantId, invoiceId),
    outcome: 'attributed',
    campaignId,
    campaignRevision: 1,
    referrerId: `referrer_${n % Math.ceil(events / perReferrer)}`,
    flags: [],
    tests: [],
  };
}

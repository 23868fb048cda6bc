import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { decisionKey, type DecisionRecord } from '@tributary/contracts/decision-record';
import type {
  IssuanceFact,
  IssuanceRecord,
  RewardActionRecord,
} from '@tributary/contracts/issuance-record';
import { topicPartitions } from '@tributary/contracts/topics';
import { partitionOf } from '@tributary/event-log/partitioner';
import type { Incoming } from '@tributary/event-log/projection';
import { type Clock, systemClock } from '@tributary/runtime/clock';
import { createLogger, type Logger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import { createActOnRewards } from '../commands/act-on-rewards.ts';
import {
  catalogSource,
  createApplyBatch,
  decisionsSource,
  issuancesSource,
} from '../log/apply-batch.ts';
import { createApplyDecisions } from '../log/apply-decisions.ts';
import { foldRecipient } from '@tributary/rewards-fold/fold-recipient';
import type { planRelease } from '@tributary/rewards-fold/plan-release';
import { createCountActions } from '../fold/count-actions.ts';
import { createFoldFacts } from '../fold/fold-facts.ts';
import { createIsolatedRelease } from '../workers/isolate-release.ts';
import { prepareDatabase } from '../db/prepare-database.ts';
import type { DueAmong } from '../db/recipients.ts';
import { createReleaseAlong } from '../workers/release-along.ts';
import { createReleaseDue, type ReleaseOutcome } from '../workers/release-due.ts';
import { createRevisions } from '../fold/revisions.ts';
import { createSweeper } from '../workers/sweeper.ts';

const silent = createLogger({ service: 'test', level: 'silent' });
const counted = {
  folded: () => undefined,
  released: () => undefined,
  comparedClocks: () => undefined,
};

/**
 * The transactions of one rewards process over a real database, called by hand instead of by Kafka
 * and timers. Several of them over one database are several processes.
 */
export async function startParts(options: {
  url: string;
  schema?: string;
  issuanceSchema?: string;
  generation?: number;
  fold?: typeof foldRecipient;
  /** The clock of the release worker and of operators. */
  clock?: Clock;
  plan?: typeof planRelease;
  mayAct?: () => boolean;
  isIntact?: () => Promise<boolean>;
  logger?: Logger;
}) {
  const { url, schema = 'rewards_g1', generation = 1, fold = foldRecipient } = options;
  const { issuanceSchema = 'issuance', clock = systemClock, plan } = options;
  const { mayAct = () => true, isIntact = () => Promise.resolve(true), logger = silent } = options;
  const pool = await prepareDatabase({
    postgres: { url, schema, poolSize: 10 },
    issuanceSchema,
    generationsSchema: 'generations',
    logger,
  });
  const revisions = createRevisions();
  const foldFacts = createFoldFacts({
    logger,
    revisions,
    rewardsTopic: 'rewards',
    metrics: counted,
    decisionPartitions: () => topicPartitions,
    fold: (input) => fold(input),
  });
  const applyBatch = createApplyBatch({
    applyDecisions: createApplyDecisions({ revisions, foldFacts }),
    foldFacts,
    countActions: createCountActions({ rewardsTopic: 'rewards', metrics: counted }),
  });
  const topics = { rewards: 'rewards', issuances: 'issuances' };
  const timeOf = () => Promise.resolve({ now: clock.now() });
  const settlement = { timeOf, generation, topics, metrics: counted, isIntact };
  const releaseDue = createReleaseDue({ ...settlement, ...(plan && { plan }) });
  const release = createIsolatedRelease({ pool, logger, timeOf, releaseDue });
  const operator = createActOnRewards({
    ...settlement,
    pool,
    mayAct,
    onActed: () => undefined,
  });
  const sweeper = createSweeper({
    pool,
    logger,
    revisions,
    foldFacts,
    onFolded: () => undefined,
  });

  let woken = 0;
  const releaseAlong = createReleaseAlong({
    logger,
    generation,
    releaseDue,
    isReleasing: () => true,
    wake: () => void (woken += 1),
  });

  async function apply(source: string, values: readonly object[]): Promise<void> {
    await inTransaction(pool, (tx) => applyBatch(tx, batchOf(source, values)));
  }

  function batchOf(source: string, values: readonly object[]): Incoming[] {
    return values.map((value, i) => ({
      source,
      topic: source,
      partition: 0,
      offset: BigInt(i),
      key: '',
      timestampMs: 0,
      value,
    }));
  }

  return {
    pool,
    applyBatch,
    publish: (...values: CampaignRevisionRecord[]) => apply(catalogSource, values),
    decide: (...values: DecisionRecord[]) => apply(decisionsSource, values),
    /** As the projection does: what they make due is released behind them. */
    decideAndRelease: (...values: DecisionRecord[]) =>
      inTransaction(pool, (tx) => {
        const batch = batchOf(decisionsSource, values).map((incoming, i) => ({
          ...incoming,
          partition: partitionOf('attributions', decisionKey(values[i]!), topicPartitions),
        }));
        return releaseAlong(tx, batch, () => applyBatch(tx, batch));
      }),
    /** How often the release worker was told to look. */
    woken: () => woken,
    receive: (...values: IssuanceFact[]) => apply(issuancesSource, values),
    sweep: () => sweeper.sweep(),
    releaseOnce: (among?: DueAmong): Promise<ReleaseOutcome> => release(among),
    operator,

    async releaseAll(): Promise<number> {
      let issued = 0;
      for (;;) {
        const result = await release();
        if (result.outcome !== 'released') return issued;
        issued += result.issuances;
      }
    },

    async rewards(recipientId: string) {
      const { rows } = await pool.query<{ state: string; entitled: string; issued: string }>(
        `select state, trim_scale(entitled) as entitled, trim_scale(issued) as issued
         from entitlement where recipient_id = $1 order by payment_order`,
        [recipientId],
      );
      return rows.map((row) => `${row.entitled} ${row.state} ${row.issued}`);
    },

    async issuances(): Promise<IssuanceRecord[]> {
      const { rows } = await pool.query<{ record: IssuanceRecord }>('select record from issuance');
      return rows.map((row) => row.record);
    },

    async actions(): Promise<RewardActionRecord[]> {
      const { rows } = await pool.query<{ record: RewardActionRecord }>(
        "select record from reward_action order by record ->> 'rewardId', sequence",
      );
      return rows.map((row) => row.record);
    },

    async checkBooks(): Promise<void> {
      const { rows } = await pool.query(booksSql);
      if (rows.length > 0) throw new Error(`the books do not add up: ${JSON.stringify(rows)}`);
    },
    stop: () => pool.end(),
  };
}

export type Parts = Awaited<ReturnType<typeof startParts>>;

/** Rows only where rewards, totals, ledger and facts disagree about a recipient. */
const booksSql = `
  with ledger as (
    select tenant_id, recipient_id,
      -sum(credits) filter (where account = 'entitled') as entitled,
      sum(credits) filter (where account = 'owed') as owed,
      sum(credits) filter (where account = 'issued') as issued
    from ledger_posting join ledger_entry using (posting_id) group by 1, 2
  ), rewards as (
    select tenant_id, recipient_id, sum(entitled) as entitled, sum(issued) as issued,
      coalesce(sum(entitled - issued) filter (where state in ('held', 'review', 'withheld')
        or (state = 'issued' and entitled > issued and (action is not distinct from 'withheld'
          or (json_array_length(reviews) > 0 and action is distinct from 'released')))), 0) as held
    from entitlement group by 1, 2
  ), facts as (
    select tenant_id, recipient_id, sum(credits) as issued from issuance group by 1, 2
  )
  select r.*, l.*, e.* from recipient r
  left join ledger l using (tenant_id, recipient_id)
  left join rewards e using (tenant_id, recipient_id)
  left join facts f using (tenant_id, recipient_id)
  where (r.entitled, r.issued, r.held, r.entitled - r.issued)
      <> (coalesce(e.entitled, 0), coalesce(e.issued, 0), coalesce(e.held, 0), coalesce(l.owed, 0))
    or coalesce(l.entitled, 0) <> r.entitled or coalesce(l.issued, 0) <> r.issued
    or coalesce(f.issued, 0) <> r.issued`;

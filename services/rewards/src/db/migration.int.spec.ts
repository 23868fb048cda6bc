import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { paid } from '@tributary/rewards-fold/testing/facts';
import { asDuplicate } from '@tributary/rewards-fold/testing/records';
import { createLogger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import { rewardItem } from '../http/reward-item.ts';
import { recipientLine, rewardLine } from '../http/state-lines.ts';
import { type Parts, startParts } from '../testing/parts.ts';
import { readEntitlements } from './entitlements.ts';
import { migrateIssuances } from './prepare-database.ts';
import { readRecipientRows, readRewardRows } from './state-rows.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
/** Claims an invoice, and does not get it from an earlier purchase: only its decision is stored. */
const rival = paid(90, 'u5', '2026-03-08 09:00', '20.00 EUR', { referrerId: 'emma', invoice: 50 });
const schema = 'rewards_g1';
const lastMigration = '0006';
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * `last-release.sql` is what the release before these migrations wrote for purchases with and
 * without refunds, a referral that moved to another referrer and one to another campaign, limits,
 * tiers, reviews, a decision without its revision, and releases. A generation that folds the same
 * decisions from the beginning says what must come of it.
 */
describe('rows of the last release of rewards', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let before: pg.Client;
  let dir: string;
  let parts: Parts;
  let anew: Parts;
  let entries: object[];

  beforeEach(async () => {
    ({ database, dir, before } = await makeLastRelease());
    const all = async <T>(sql: string) =>
      (await before.query<{ record: T }>(sql)).rows.map(({ record }) => record);
    await before.query(
      `insert into ${schema}.decision (decision_id, version, tenant_id, business_key, status,
         campaign_id, campaign_revision, record) values ($1, 1, $2, $3, 'folded', 'c1', 1, $4)`,
      [rival.decisionId, rival.tenantId, rival.businessKey, JSON.stringify(rival)],
    );
    const revisions = await all<CampaignRevisionRecord>(
      `select record from ${schema}.campaign_revision`,
    );
    const decisions = await all<DecisionRecord>(`select record from ${schema}.decision`);
    expect(decisions).to.have.length.above(20);
    entries = await entriesOf(before);

    anew = await startParts({ url: database.url, schema: 'rewards_g2', generation: 2 });
    await anew.publish(...revisions);
    await anew.receive(...(await anew.issuances()));
    await anew.decide(...decisions);
    parts = await startParts({ url: database.url });
  });
  afterEach(async () => {
    await before.end();
    await Promise.all([parts.stop(), anew.stop()]);
    await rm(dir, { recursive: true });
    await database.drop();
  });

  it('say what rows of this release say of the same decisions', async () => {
    expect(await stateOf(parts)).to.deep.equal(await stateOf(anew));
    await parts.checkBooks();
  });

  it('have the same entries in the ledger', async () => {
    expect(await entriesOf(before)).to.deep.equal(entries);
    expect(entries).to.have.length.above(50);
    const { rows } = await before.query<{ count: string }>(
      `select count(*) from ${schema}.ledger_posting where left_campaign_id = 'c1'`,
    );
    expect(rows[0]!.count, 'moved from one campaign to another').to.equal('1');
  });

  it('are gone on from by refunds, later facts, moves and revisions', async () => {
    const early = await parts.pool.query<{ record: CampaignRevisionRecord }>(
      `select record from campaign_revision where campaign_id = 'c1'`,
    );
    for (const one of [parts, anew]) {
      await one.decide(
        paid(2, 'user é', '2026-03-02 09:00', '49.00 EUR', {
          version: 2,
          refunds: [['2026-03-04 09:00', '20.00 EUR']],
        }),
        // Earlier than all others of their lane and referral, and one that is above a cap.
        paid(101, 'tier9', '2026-03-01 09:00', '10.00 EUR', {
          campaignId: 'tiers',
          referrerId: 'hans',
        }),
        paid(102, 'often', '2026-03-01 09:00', '10.00 EUR', {
          campaignId: 'both',
          referrerId: 'ida',
        }),
        paid(103, 'cap9', '2026-03-01 09:00', '10.00 EUR', {
          campaignId: 'capped',
          referrerId: 'gus',
        }),
      );
      // An invoice goes to the rival and from there to an earlier one, another one to nobody.
      const invoice = { invoice: 50 };
      const holder = paid(6, 'u5', '2026-03-05 09:00', '20.00 EUR', invoice);
      await one.decide(asDuplicate(holder, 'e-of-somebody'));
      expect(await one.rewards('emma')).to.deep.equal(['10 held 0']);
      await one.decide(
        { ...paid(5, 'u5', '2026-03-04 09:00', '20.00 EUR', invoice), version: 3 },
        asDuplicate(
          { ...paid(7, 'u7', '2026-03-06 09:00', '30.00 EUR'), version: 2 },
          'e-of-somebody',
        ),
      );
      expect(await one.rewards('emma')).to.deep.equal(['0 reversed 0']);
      await one.publish({ ...early.rows[0]!.record, campaignId: 'later' });
      await one.sweep();
    }
    expect(await stateOf(parts)).to.deep.equal(await stateOf(anew));
    await parts.checkBooks();
    const { rows } = await parts.pool.query(`select from entitlement where campaign_id = 'later'`);
    expect(rows).to.have.length(1);
  });
});

describe('the migration of rewards', function () {
  this.timeout(60_000);

  it('takes along what a process of the last release commits after it has begun', async () => {
    const { database, dir, before } = await makeLastRelease();
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      const entries = await entriesOf(before);
      await before.query('begin');
      await before.query(
        `with posted as (
           insert into ${schema}.ledger_posting (posting_id, tenant_id, recipient_id, reward_id,
             issuance_id)
           select gen_random_uuid(), tenant_id, recipient_id, reward_id, gen_random_uuid()
           from ${schema}.ledger_posting limit 1
           returning posting_id
         )
         insert into ${schema}.ledger_entry (posting_id, account, campaign_id, credits)
         select posting_id, account, 'c1', credits
         from posted, (values ('owed', 1), ('issued', -1)) as entry (account, credits)`,
      );
      const starting = startParts({ url: database.url });
      await eventually(async () => {
        const { rows } = await other.query(
          `select from pg_stat_activity where datname = current_database()
             and application_name = 'migrate' and wait_event_type = 'Lock'`,
        );
        expect(rows, 'migrations that wait for that process').to.have.length(1);
      });
      await before.query('commit');
      const parts = await starting;
      expect(await entriesOf(before)).to.have.length(entries.length + 2);
      await parts.stop();
    } finally {
      await Promise.all([before.end(), other.end()]);
      await rm(dir, { recursive: true });
      await database.drop();
    }
  });
});

/** The tables as that release left them, and a connection to them. */
async function makeLastRelease() {
  const database = await createDatabase();
  const settings = { url: database.url };
  const postgres = { ...settings, schema, poolSize: 10 };
  const schemas = { issuanceSchema: 'issuance', generationsSchema: 'generations' };
  await migrateIssuances({ postgres, ...schemas }, logger);
  const dir = await mkdtemp(join(tmpdir(), 'rewards-migrations-'));
  const migrations = here('../../migrations/generation/');
  for (const name of await readdir(migrations)) {
    if (name.slice(0, 4) <= lastMigration) await copyFile(migrations + name, join(dir, name));
  }
  const sets = [eventLogMigrations, { dir, table: 'migration_rewards' }];
  await migrate({ settings, schema, sets, logger });
  const before = new pg.Client({ connectionString: database.url });
  await before.connect();
  await before.query(await readFile(here('../testing/last-release.sql'), 'utf8'));
  return { database, dir, before };
}

async function entriesOf(db: pg.Client): Promise<object[]> {
  const { rows } = await db.query<object>(
    `select coalesce(issuance_id, posting_id) as id, posted_at, reward_id, issuance_id, account, entry.campaign_id, credits
     from rewards_g1.ledger_posting join rewards_g1.ledger_entry as entry using (posting_id)
     order by id, account, entry.campaign_id`,
  );
  return rows;
}

/** What is compared of two generations, and how it is explained; a state is history. */
async function stateOf({ pool }: Parts): Promise<object> {
  const lines: string[] = [];
  for (const [read, lineOf] of [
    [readRewardRows, rewardLine],
    [readRecipientRows, recipientLine],
  ] as const) {
    await inTransaction(pool, async (tx) => {
      for await (const page of read(tx, {})) lines.push(...page.map((row) => lineOf(row) ?? ''));
    });
  }
  const { rows } = await pool.query<{ id: string }>(
    `select reward_id as id from entitlement where version > 0 and entitled > 0 order by 1`,
  );
  const rewards = await inTransaction(pool, (tx) =>
    readEntitlements(
      tx,
      [],
      rows.map(({ id }) => id),
    ),
  );
  const items = rewards.map((reward) => ({ ...rewardItem(reward), state: '' }));
  return {
    lines: lines
      .filter((line) => line !== '')
      .map((line) => ({ ...(JSON.parse(line) as object), state: '' }))
      .map((line) => JSON.stringify(line))
      .sort(),
    items: items.sort((a, b) => (a.rewardId < b.rewardId ? -1 : 1)),
  };
}

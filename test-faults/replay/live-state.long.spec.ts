import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createInternalClient } from '@tributary/http/internal-client';
import { silentLogger } from '@tributary/event-log/testing';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import { foldHistory } from '../../services/replay/src/fold/fold-history.ts';
import { cutOf } from '../../services/replay/src/commands/live-cut.ts';
import { compareStates } from '../../services/replay/src/live/compare-states.ts';
import { createDescribeDifferences } from '../../services/replay/src/live/describe-differences.ts';
import { createTakeLiveSnapshot } from '../../services/replay/src/live/take-live-snapshot.ts';
import type { LineDifference, LiveSnapshot } from '../../services/replay/src/domain/live-state.ts';
import { createRandom } from '../chain/random.ts';
import { type Chain, startChain } from '../chain/start-chain.ts';
import type { Fact } from '../chain/topics.ts';
import { makeWorld } from '../chain/world.ts';

/**
 * The state that attribution and rewards tell while they work, against the whole log folded in
 * memory to exactly the place that they say: through real processes, two of each, with facts that
 * keep coming and processes that are killed.
 */
describe('live state at one cut of the log', function () {
  this.timeout(480_000);
  const world = makeWorld(testSeed, 2_000);
  const random = createRandom(testSeed);
  const arriving: Fact[] = random.shuffle([...world.catalog, ...world.codes, ...world.events]);
  const { signal } = new AbortController();
  const notes: string[] = [];
  let chain: Chain;
  let dir: string;
  let rounds = 0;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-live-'));
    chain = await startChain({ attribution: 2, rewards: 2 });
  });
  after(async () => {
    await chain.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const asked = (name: 'attribution' | 'rewards', replica = 0) => ({
    service: name,
    baseUrl: `http://127.0.0.1:${chain[name].replicas[replica]!.adminPort}`,
    token: chain[name].env['TRIBUTARY_INTERNAL_TOKEN']!,
  });

  function takeSnapshot(replica = 0): Promise<LiveSnapshot> {
    const take = createTakeLiveSnapshot({
      attribution: asked('attribution', replica),
      rewards: asked('rewards', replica),
      firstPauseMs: 100,
    });
    const note = (line: string) => Promise.resolve(void notes.push(line));
    return take({ dir: join(dir, `${(rounds += 1)}`), generation: 1, signal, note });
  }

  async function compareWithLog(live: LiveSnapshot) {
    const own = join(dir, `fold-${(rounds += 1)}`);
    const { prefix } = chain.topics;
    const folded = await foldHistory({
      dir: own,
      log: { kafka: chain.topics.kafkaSettings, prefix },
      until: { positions: cutOf(live, prefix) },
      signal,
      logger: silentLogger,
    });
    const differences: LineDifference[] = [];
    const comparison = await compareStates({
      live: [live.attribution.file, live.rewards.file],
      replayed: [...folded.files.decisions, ...folded.files.rewards],
      dir: own,
      signal,
      onDifference: (difference) => void differences.push(difference),
    });
    const described = await createDescribeDifferences({
      attribution: createInternalClient({ ...asked('attribution'), logger: silentLogger }),
      rewards: createInternalClient({ ...asked('rewards'), logger: silentLogger }),
    })({
      generation: 1,
      differences: differences.slice(0, 20),
      replayedItems: folded.explainItems,
      signal,
    });
    return { comparison, described };
  }

  it('is what the log folds to, again and again, while facts come and processes are killed', async () => {
    let coming = true;
    const appending = (async () => {
      // For as long as cuts are made, the same facts again where need be.
      for (let from = 0; coming; from = (from + factsAtOnce) % arriving.length) {
        await chain.topics.append(arriving.slice(from, from + factsAtOnce));
        await delay(100);
      }
    })();
    const cuts: bigint[] = [];
    try {
      for (let round = 0; round < 5; round += 1) {
        if (round === 2) await chain.rewards.replicas[1]!.kill();
        if (round === 4) await chain.attribution.replicas[1]!.kill();
        const live = await takeSnapshot(0);
        const { comparison, described } = await compareWithLog(live);
        expect(described, `round ${round}`).to.deep.equal([]);
        expect(comparison.identical).to.equal(true);
        expect(live.frozenMs).to.be.below(15_000);
        cuts.push(Object.values(live.attribution.positions).reduce((n, at) => n + BigInt(at), 0n));
      }
    } finally {
      coming = false;
      await appending;
    }
    expect(new Set(cuts).size, 'every cut is another one').to.equal(cuts.length);
    await chain.topics.append(arriving);
    await chain.drained();
    expect((await compareWithLog(await takeSnapshot())).described).to.deep.equal([]);
  });

  const tamperings: { of: string; sql: string; kind: string; fields?: string[] }[] = [
    {
      of: 'the digest of a decision',
      sql: `update attribution_g1.fact set digest = sha256(digest)
            where event_id = (select min(event_id) from attribution_g1.fact
              where outcome = 'attributed') returning event_id as id`,
      kind: 'decision',
      fields: ['digest'],
    },
    {
      of: 'a decision that is gone',
      sql: `delete from attribution_g1.fact
            where event_id = (select min(event_id) from attribution_g1.fact)
            returning event_id as id`,
      kind: 'decision',
    },
    {
      of: 'the outcome in a column of a decision',
      sql: `update attribution_g1.fact set outcome = 'waiting'
            where event_id = (select min(event_id) from attribution_g1.fact
              where outcome = 'attributed') returning event_id as id`,
      kind: 'decision',
      fields: ['outcome'],
    },
    ...(
      [
        ['the campaign', `campaign_id = 'another'`, ['campaignId']],
        ['the version', `version = version + 1`, []],
        ['the checksum', `checksum = checksum # 1`, []],
      ] as const
    ).map(([column, set, fields]) => ({
      of: `${column} in a column of a decision`,
      sql: `update attribution_g1.fact set ${set}
            where event_id = (select min(event_id) from attribution_g1.fact
              where outcome = 'attributed') returning event_id as id`,
      kind: 'decision',
      fields: [...fields],
    })),
    {
      of: 'what a reward is entitled to',
      sql: `update rewards_g1.entitlement set entitled = entitled + 1
            where reward_id = (select reward_id from rewards_g1.entitlement
              where state = 'issued' order by reward_id limit 1) returning reward_id::text as id`,
      kind: 'reward',
      fields: ['entitled'],
    },
    {
      of: 'what was issued for a reward',
      sql: `update rewards_g1.entitlement set issued = issued + 1
            where reward_id = (select reward_id from rewards_g1.entitlement
              where state = 'issued' order by reward_id limit 1) returning reward_id::text as id`,
      kind: 'reward',
      fields: ['issued'],
    },
    {
      of: 'the state of a reward',
      sql: `update rewards_g1.entitlement set state = 'reversed'
            where reward_id = (select reward_id from rewards_g1.entitlement
              where state = 'issued' order by reward_id limit 1) returning reward_id::text as id`,
      kind: 'reward',
    },
    {
      of: 'the running total of a recipient',
      sql: `update rewards_g1.recipient set issued = issued - 1
            where (tenant_id, recipient_id) = (select tenant_id, recipient_id
              from rewards_g1.recipient where issued > 1 order by 1, 2 limit 1)
            returning recipient_id as id`,
      kind: 'recipient',
      fields: ['issued'],
    },
    {
      of: 'an entry of the ledger',
      sql: `update rewards_g1.posting set owed = owed + 1000
            where posting_id = (select posting_id from rewards_g1.posting
              order by posting_id limit 1)
            returning recipient_id as id`,
      kind: 'recipient',
      fields: ['owed'],
    },
    {
      of: 'what opened the books of a reward',
      sql: `update rewards_g1.entitlement set opened_credits = opened_credits + 1
            where reward_id = (select reward_id from rewards_g1.entitlement
              where opened_credits is not null order by reward_id limit 1)
            returning recipient_id as id`,
      kind: 'recipient',
    },
    {
      of: 'a posting that is gone from the ledger',
      sql: `delete from rewards_g1.posting
            where posting_id = (select posting_id from rewards_g1.posting
              where issuance_id is not null order by posting_id limit 1)
            returning recipient_id as id`,
      kind: 'recipient',
    },
  ];

  for (const { of, sql, kind, fields } of tamperings) {
    it(`finds ${of}`, async () => {
      await chain.drained();
      // In a transaction that is rolled back, the processes would not see it: it is undone by hand.
      const undo = await keepTables(chain);
      try {
        const { rows } = await chain.db.query<{ id: string }>(sql);
        const { comparison, described } = await compareWithLog(await takeSnapshot());
        expect(comparison.identical).to.equal(false);
        expect(described.map((difference) => [difference.kind, difference.id])).to.deep.equal([
          [kind, rows[0]!.id],
        ]);
        if (fields) expect(described[0]!.fields).to.deep.equal(fields);
      } finally {
        await undo();
      }
    });
  }

  it('is the same again after all of that', async () => {
    const { comparison, described } = await compareWithLog(await takeSnapshot());
    expect(described).to.deep.equal([]);
    expect(comparison.tenants.map(({ tenantId }) => tenantId)).to.deep.equal([
      't-event',
      't-first',
    ]);
    expect(notes.every((line) => line.startsWith('no snapshot'))).to.equal(true);
  });
});

/** Slow enough that they still come when the last snapshot is taken. */
const factsAtOnce = 5;

const tampered = [
  'attribution_g1.fact',
  'rewards_g1.entitlement',
  'rewards_g1.recipient',
  'rewards_g1.posting',
];

/** With it, and with triggers, which a replica does not run, the ledger takes no wrong entry. */
const balance = {
  table: 'rewards_g1.posting',
  name: 'ledger_posting_balanced',
};

/** Copies of the tables, put back row by row by the function that is given. */
async function keepTables({ db }: Chain): Promise<() => Promise<void>> {
  await db.query(`set session_replication_role = replica`);
  const { rows: checks } = await db.query<{ definition: string }>(
    'select pg_get_constraintdef(oid) as definition from pg_constraint where conname = $1',
    [balance.name],
  );
  await db.query(`alter table ${balance.table} drop constraint ${balance.name}`);
  for (const table of tampered) {
    const copy = `kept_${table.split('.')[1]!}`;
    await db.query(`drop table if exists ${copy}`);
    await db.query(`create temp table ${copy} as table ${table}`);
  }
  return async () => {
    for (const table of tampered) {
      const [schema, name] = table.split('.');
      const { rows } = await db.query<{ columns: string }>(
        `select string_agg(quote_ident(column_name), ', ') as columns
         from information_schema.columns
         where table_schema = $1 and table_name = $2 and is_generated = 'NEVER'`,
        [schema, name],
      );
      const columns = rows[0]!.columns;
      await db.query('begin');
      await db.query(`delete from ${table}`);
      await db.query(`insert into ${table} (${columns}) select ${columns} from kept_${name!}`);
      await db.query('commit');
    }
    const [check] = checks;
    await db.query(
      `alter table ${balance.table} add constraint ${balance.name} ${check!.definition}`,
    );
    await db.query(`set session_replication_role = origin`);
  };
}

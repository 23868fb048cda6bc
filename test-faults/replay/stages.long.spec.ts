import { withAdmin } from '@tributary/event-log/with-admin';
import { eventually } from '@tributary/testkit/eventually';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import pg from 'pg';
import { createRandom } from '../chain/random.ts';
import { makeWorld } from '../chain/world.ts';
import { receivedNow } from './flow.ts';
import { startSystem, type System } from './system.ts';

type ShownJob = { status: string; history: { line: string }[] };

/**
 * Every service that runs a part of a generation is part of its life, the widget as well: what is
 * built, made live and removed is all of it, whichever process is down meanwhile.
 */
describe('the stages of a generation, with a widget among them', function () {
  this.timeout(600_000);
  const world = makeWorld(testSeed + 2, 1_200);
  const events = createRandom(testSeed + 2).shuffle(world.events);
  let system: System;

  before(async () => {
    const tenantIds = ['t-event', 't-first'];
    const first = [...world.catalog, ...world.codes];
    system = await startSystem(first, tenantIds, { widget: true });
    await system.topics.append(events.slice(0, 300));
    await system.atRest();
  });
  after(() => system?.stop());

  it('are waited for by a swap, which goes on when the last of them has read the log', async () => {
    await run('rebuild');
    expect(await rowsOf('widget_r2_g2.decision'), 'read by the widget').to.be.above(0);
    const db = system.db();
    await db.query('begin');
    await db.query('lock table widget_r2_g2.projection_position in share row exclusive mode');
    await system.topics.append(events.slice(300, 400).map(receivedNow));
    const jobId = await system.begin('/api/replay/generations/2/swap', {});
    try {
      await eventually(
        async () => {
          const { status, history } = await system.call<ShownJob>(
            'GET',
            `/api/replay/jobs/${jobId}`,
          );
          expect(status).to.be.oneOf(['queued', 'running']);
          const lines = history.map(({ line }) => line).join('\n');
          expect(lines).to.match(
            /waited for widget of generation 2 to read all of it: \d+ records/,
          );
        },
        { deadlineMs: 120_000, everyMs: 200 },
      );
      expect(await live()).to.equal(1);
    } finally {
      await db.query('rollback');
    }
    await system.resultOf(jobId);
    expect(await live()).to.equal(2);
  });

  it('are removed with it', async () => {
    await run('rollback');
    expect(await leftOf(2)).to.deep.equal(allOf(2));
    await run('drop', '2');
    expect(await leftOf(2)).to.deep.equal([]);
    expect(await leftOf(1))
      .to.include('schema widget_r2')
      .and.include('group widget');
  });

  it('are removed with it while the process of one is down', async () => {
    await run('rebuild');
    const widget = system.services.widget!.replicas[0]!;
    await widget.kill('SIGKILL');
    await run('drop', '3');
    expect(await leftOf(3)).to.deep.equal([]);
    await widget.restart();
    expect(await leftOf(3)).to.deep.equal([]);
  });

  it('leave no number to be taken while anything of theirs is left, and can be removed then', async () => {
    // As a release left it that removed the other stages only, and a registry that forgot about it.
    await system.query('create schema widget_r2_g4');
    await run('rebuild');
    const { rows } = await system
      .db()
      .query('select number from generations.generation order by 1');
    expect(rows).to.deep.equal([{ number: 1 }, { number: 5 }]);
    await run('drop', '4');
    expect(await leftOf(4)).to.deep.equal([]);
  });

  it('of a release that registered nothing are made live, given back and removed without a rebuild', async () => {
    await system.whileStopped(async () => {
      const db = new pg.Client({ connectionString: system.database });
      await db.connect();
      await db.query(asBefore);
      await db.end();
    });
    await run('swap', '5');
    expect(await live()).to.equal(5);
    await run('rollback');
    expect(await live()).to.equal(1);
    await run('drop', '5');
    expect(await leftOf(5)).to.deep.equal([]);
    await run('verify');
  });

  /** A command that succeeds. */
  async function run(...argv: string[]): Promise<void> {
    const { code, out, err } = await system.tributary(['replay', ...argv]);
    expect(code, out + err).to.equal(0);
  }

  async function live(): Promise<number> {
    const sql = 'select generation from generations.live_generation';
    return (await system.query<{ generation: number }>(sql))[0]!.generation;
  }

  async function rowsOf(table: string): Promise<number> {
    const rows = await system.query<{ count: number }>(`select count(*)::int from ${table}`);
    return rows[0]!.count;
  }

  /** Schemas and consumer groups of this generation that are there. */
  async function leftOf(generation: number): Promise<string[]> {
    const { kafka, prefix } = system.topics;
    const { groups } = await withAdmin(kafka, (admin) => admin.listGroups());
    const own = groups.map(({ groupId }) => groupId).filter((group) => group.startsWith(prefix));
    const listed = own.map((group) => `group ${group.slice(prefix.length)}`);
    const schemas = await system.query<{ name: string }>(
      `select 'schema ' || nspname as name from pg_namespace`,
    );
    const there = new Set([...listed, ...schemas.map(({ name }) => name)]);
    return allOf(generation).filter((name) => there.has(name));
  }
});

/**
 * The registry of stages and what issuances brought since, away again. The tables of generations
 * stay: their later migrations cannot be taken back.
 */
const asBefore = `
  drop table generations.stage;
  delete from generations.migration_generations
    where name in ('0003_stages', '0004_stage_databases');
  drop view issuance.stage_unfinished;
  alter table issuance.issuance_outbox drop column records, drop column record_count, drop column keys;
  create index issuance_outbox_lane on issuance.issuance_outbox (lane, id);
  alter table issuance.issuance drop constraint issuance_pkey,
    add primary key (issuance_id), add unique (webhook_event_id);
  create index issuance_reward on issuance.issuance (reward_id);
  delete from issuance.migration_issuance where name in
    ('0004_stage_unfinished', '0005_issuance_outbox_rows', '0006_one_index_by_reward')`;

function allOf(generation: number): string[] {
  const suffix = generation === 1 ? '' : `_g${generation}`;
  return [
    ...['attribution', 'rewards'].map((name) => `schema ${name}_g${generation}`),
    ...['portal_read_r2', 'widget_r2'].map((name) => `schema ${name}${suffix}`),
    ...['attribution', 'rewards', 'portal', 'widget'].map(
      (name) => `group ${name}${suffix.replace('_', '-')}`,
    ),
  ];
}

import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import pg from 'pg';
import type { VerifyResult } from '@tributary/contracts/admin/replay-results';
import { findWrongBooks } from '../chain/books.ts';
import { differences, readState } from '../chain/current-state.ts';
import { createRandom } from '../chain/random.ts';
import { makeWorld } from '../chain/world.ts';
import { runCommandsOf } from '../runbook-commands.ts';
import { flow, receivedNow } from './flow.ts';
import { startSystem, type System } from './system.ts';

/**
 * The drill of the runbooks backup, postgres-restored and postgres-lost, by their own commands:
 * services stopped, an older backup or nothing at all put in the place of the database, services
 * started. Nobody does anything else. That roles and rights come back as well is in
 * store-rights.spec.ts: here every service is a superuser.
 */
describe('a system whose database is older than its log, or gone', function () {
  this.timeout(600_000);
  const world = makeWorld(testSeed, 1_200);
  const random = createRandom(testSeed);
  const events = random.shuffle(world.events);
  const tenantIds = ['t-event', 't-first'];
  const member = { email: 'ada@example.com', password: 'correct horse battery staple' };
  let system: System;
  let accountsOfBackup: Accounts;

  before(async () => {
    system = await startSystem([...world.catalog, ...world.codes], tenantIds);
  });
  after(() => system?.stop());

  it('comes back by itself from a backup that was taken while facts came in, as it was', async () => {
    await system.topics.append(events.slice(0, 500));
    await system.atRest();
    await system.releaseAllInReview('t-first', 'tiers');
    await system.atRest();
    await joins(member);
    accountsOfBackup = await readAccounts();
    const before = await countFacts();
    const reported = flow(system.topics, events.slice(500, 700), 100);
    await eventually(async () => expect(await countFacts()).to.be.above(before));
    await runCommandsOf('backup.md', 'pg_dump', commandsRun());
    const during = await countFacts();
    await reported.rest();
    await system.topics.append(events.slice(700, 800));
    await system.atRest();
    expect(await countFacts()).to.be.above(during);
    await system.releaseAllInReview('t-event', 'tiers');
    await joins({ ...member, email: 'too-late@example.com' });
    await system.atRest();
    await comesBack(2, () => runCommandsOf('postgres-restored.md', 'pg_restore', commandsRun()));
  });

  it('has the accounts, roles and the audit list of the backup', async () => {
    const { accounts, audit } = await readAccounts();
    expect(accounts).to.deep.equal(accountsOfBackup.accounts);
    // What was asked for since is added, behind what there was.
    expect(audit.slice(0, accountsOfBackup.audit.length)).to.deep.equal(accountsOfBackup.audit);
    expect((await system.ask('POST', '/api/session', member)).status).to.equal(200);
    const late = { ...member, email: 'too-late@example.com' };
    expect((await system.ask('POST', '/api/session', late)).status).to.equal(401);
  });

  it('works on with what is new', () => worksOn(events.slice(800, 1_000), 2));

  it('comes back by itself from an empty database, as it was', async () => {
    await comesBack(3, emptyDatabase);
  });

  it('works on with what is new, once more', () => worksOn(events.slice(1_000), 3));

  it('drops what was lost', async () => {
    for (const lost of [1, 2]) {
      const { code, err } = await system.tributary(['replay', 'drop', String(lost)]);
      expect(code, err).to.equal(0);
    }
    const { out } = await system.tributary(['replay', 'verify']);
    expect(out).to.match(/^Identical: generation 3/m);
  });

  async function comesBack(generation: number, disaster: () => Promise<void>): Promise<void> {
    const before = await outcome(generation - 1);
    expect(before.verified.outcome).to.equal('identical');
    const sent = system.receiver.arrivals.length;
    expect(sent).to.be.above(50);
    await system.whileStopped(disaster);
    await eventually(async () => expect(await live()).to.equal(generation), {
      deadlineMs: 120_000,
      everyMs: 200,
    });
    await system.atRest();
    const after = await outcome(generation);
    expect(after.verified).to.deep.equal(before.verified);
    expect(differences(after.state, before.state)).to.deep.equal([]);
    expect(after.totals).to.deep.equal(before.totals);
    expect(await findWrongBooks(system.db(), generation)).to.deep.equal([]);
    expect(system.receiver.arrivals.slice(sent), 'sent again').to.deep.equal([]);
  }

  async function worksOn(facts: typeof events, generation: number): Promise<void> {
    const sent = system.receiver.arrivals.length;
    await system.topics.append(facts.map(receivedNow));
    const admin = await system.ask('POST', '/api/tenants/t-event/codes', {
      campaignId: 'tiers',
      productUserId: 'somebody-new',
    });
    expect(admin.status, JSON.stringify(admin.body)).to.be.within(200, 201);
    await system.atRest();
    const { verified, state } = await outcome(generation);
    expect(verified.outcome).to.equal('identical');
    for (const { eventId } of facts) expect(state.decisions.has(eventId)).to.equal(true);
    expect(system.receiver.arrivals.length).to.be.above(sent);
    expect(system.receiver.arrivals.filter(({ nth }) => nth > 0)).to.deep.equal([]);
    expect(await findWrongBooks(system.db(), generation)).to.deep.equal([]);
  }

  /** As operators see it, and as it stands in the tables. */
  async function outcome(generation: number) {
    const jobId = await system.begin('/api/replay/jobs', { kind: 'verify' });
    const { outcome, tenants } = await system.resultOf<VerifyResult>(jobId);
    const totals = await system.query(
      `select tenant_id, recipient_id, trim_scale(entitled)::text as entitled,
         trim_scale(issued)::text as issued
       from rewards_g${generation}.recipient where entitled <> 0 or issued <> 0 order by 1, 2`,
    );
    const state = await readState(system.db(), generation);
    return { verified: { outcome, tenants }, totals, state };
  }

  async function live(): Promise<number> {
    const sql = 'select generation from generations.live_generation';
    return (await system.query<{ generation: number }>(sql))[0]!.generation;
  }

  async function emptyDatabase(): Promise<void> {
    const name = new URL(system.database).pathname.slice(1);
    const server = new pg.Client({ connectionString: (await getServers()).postgresUrl });
    await server.connect();
    await server.query(`drop database ${name} with (force)`);
    await server.query(`create database ${name}`);
    await server.end();
  }

  const commandsRun = () => ({ database: system.database, cwd: system.logs });

  /** As an operator of the deployment, and owner of a tenant. */
  async function joins({ email, password }: typeof member): Promise<void> {
    for (const [path, role] of [
      ['/api/operators/invitations', {}],
      ['/api/tenants/t-event/people/invitations', { role: 'owner' }],
    ] as const) {
      const { link } = await system.call<{ link: string }>('POST', path, { email, ...role });
      const invitation = link.slice(link.indexOf('#') + 1);
      await system.call('POST', '/api/invitation', { invitation, name: 'Ada', password });
    }
  }

  type Accounts = Awaited<ReturnType<typeof readAccounts>>;

  async function readAccounts() {
    return {
      accounts: await system.query(
        `select account.*, membership.* from portal.account
         left join portal.membership using (account_id) order by 1`,
      ),
      audit: await system.query('select * from portal.audit_entry order by at, entry_id'),
    };
  }

  async function countFacts(): Promise<number> {
    const sql = 'select count(*)::int as count from attribution_g1.fact';
    return (await system.query<{ count: number }>(sql))[0]!.count;
  }
});

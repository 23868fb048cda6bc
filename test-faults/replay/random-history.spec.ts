import { readdirSync, readFileSync } from 'node:fs';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { eventually } from '@tributary/testkit/eventually';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import type { Report, VerifyResult } from '@tributary/contracts/admin/replay-results';
import { findWrongBooks } from '../chain/books.ts';
import { createRandom } from '../chain/random.ts';
import { makeWorld } from '../chain/world.ts';
import { flow } from './flow.ts';
import { startSystem, type System } from './system.ts';
import { tamperings } from './tamperings.ts';

/**
 * A random history with all that happens to one: facts in any order and more than once, late codes,
 * refunds, holds, operator actions, erased people, new revisions, processes that are killed. At
 * any moment the state is what the log gives, the state of a past moment is what was recorded then,
 * and no replay sends anything.
 */
describe('replays of a random history', function () {
  this.timeout(600_000);
  const world = makeWorld(testSeed, 2_400);
  const random = createRandom(testSeed);
  const tenantIds = ['t-event', 't-first'];
  const early = world.events.slice(0, 1_200);
  const late = world.events.slice(1_200);
  const lateCodes = world.codes.filter(() => random.happens(0.15));
  const knownCodes = world.codes.filter((code) => !lateCodes.includes(code));
  /** Hashes of each tenant at moments, as they were told at those moments. */
  const recorded: { at: string; tenants: object[] }[] = [];
  let system: System;
  let issuedEarly: number;

  before(async () => {
    system = await startSystem([...world.catalog, ...knownCodes], tenantIds);
    const copies = early.filter(() => random.happens(0.1));
    const arriving = random.shuffle([...early, ...copies]);
    await system.topics.append(arriving.slice(0, 800));
    await system.services.rewards.replicas[0]!.kill('SIGKILL');
    await system.topics.append(arriving.slice(800));
    await system.services.rewards.replicas[0]!.restart();
    await system.atRest();
  });
  after(() => system?.stop());

  const verify = (params: object) => system.begin('/api/replay/jobs', { kind: 'verify', params });

  async function verified(jobId: string): Promise<VerifyResult> {
    const result = await system.resultOf<VerifyResult>(jobId);
    expect(result.outcome, JSON.stringify(result.differences)).to.equal('identical');
    return result;
  }

  async function record(): Promise<void> {
    const { tenants } = await verified(await verify({}));
    const hashes = tenants.map(({ identical: _identical, ...hashed }) => hashed);
    recorded.push({ at: new Date().toISOString(), tenants: hashes });
  }

  it('are identical after an operator spoke and people were erased', async () => {
    const inReview = await system.query<{ tenant_id: string; reward_id: string }>(
      `select tenant_id, reward_id from rewards_g1.entitlement
       where state in ('review', 'held') order by reward_id limit 12`,
    );
    expect(inReview).to.have.length(12);
    for (const [i, { tenant_id: tenant, reward_id: reward }] of inReview.entries()) {
      const verb = i % 3 === 0 ? 'withhold' : 'release';
      const path = `/api/tenants/${tenant}/rewards/${reward}/${verb}`;
      await system.call('POST', path, { by: 'olga', note: 'looked at' });
    }
    await system.releaseAllInReview('t-first', 'tiers');
    for (const userId of ['user-3', 'user-77']) {
      await system.call('POST', '/api/tenants/t-event/people/erase', { userId });
    }
    await system.atRest();
    await record();
    issuedEarly = system.receiver.arrivals.length;
    expect(issuedEarly).to.be.above(50);
  });

  it('are killed twice while facts flow and both stages are killed, and end identical', async () => {
    const { attribution, rewards, replay } = system.services;
    const flowing = flow(system.topics, random.shuffle([...late, ...lateCodes]), 200);
    const campaign = {
      ...campaignBody,
      effectiveFrom: new Date(Date.now() + 60_000).toISOString(),
    };
    await system.call('PUT', '/api/tenants/t-event/campaigns/strict', campaign);
    const jobId = await verify({});
    const phases = new Set<string>();
    const restarts: Promise<void>[] = [];
    for (const victim of [attribution, rewards]) {
      const phase = await eventually(
        async () => {
          const now = await system.job(jobId);
          expect([now.status, now.attempts]).to.deep.equal(['running', phases.size + 1]);
          expect(now.progress?.phase).to.be.a('string');
          expect(phases.has(now.progress!.phase), now.progress!.phase).to.equal(false);
          return now.progress!.phase;
        },
        { deadlineMs: 60_000, everyMs: 20 },
      );
      phases.add(phase);
      await killTree(replay.replicas[0]!.pid);
      await replay.replicas[0]!.kill('SIGKILL');
      await victim.replicas[0]!.kill('SIGKILL');
      restarts.push(replay.replicas[0]!.restart(), victim.replicas[0]!.restart());
    }
    await Promise.all(restarts);
    const result = await verified(jobId);
    const { attempts } = await system.job(jobId);
    expect(attempts, 'attempts').to.be.at.least(3);
    expect([...phases], 'killed in').to.have.length(2);
    expect(result.events).to.be.at.least(early.length);
    await flowing.rest();
    await system.atRest();
    await record();
  });

  it('are killed without a trace, and each issuance was delivered once', async () => {
    const issued = (await system.topics.read('issuances', issuanceCodec)).flatMap((fact) =>
      fact.type === 'issued' ? [fact.webhookEventId] : [],
    );
    expect(new Set(issued).size).to.be.above(issuedEarly);
    expect(system.receiver.arrivals.map(({ eventId }) => eventId).sort()).to.deep.equal(
      [...new Set(issued)].sort(),
    );
    expect(await findWrongBooks(system.db())).to.deep.equal([]);
    expect(readdirSync(`${system.logs}/replay/jobs`), 'left on disk').to.deep.equal([]);
  });

  it('tell the state of a moment as it was recorded then', async () => {
    const [first, second] = recorded;
    expect(first!.tenants).to.not.deep.equal(second!.tenants);
    for (const { at, tenants } of recorded) {
      const jobId = await system.begin('/api/replay/previews', { until: at });
      const report = await system.resultOf<Report>(jobId);
      const reported = report.tenants.map(({ tenantId, decisions, rewards, recipients }) => {
        return { tenantId, decisions, rewards, recipients };
      });
      expect(reported, at).to.deep.equal(tenants);
    }
  });

  it('name exactly the rows that were flipped by hand, and why', async () => {
    const same = await system.tributary(['replay', 'verify']);
    expect([same.code, same.err]).to.deep.equal([0, same.err]);
    expect(same.out).to.match(/^Identical: generation 1 against/m);

    // The ledger takes no change, not even from a superuser, unless its triggers are off.
    await system.query('set session_replication_role = replica');
    const flipped: { kind: string; tenantId: string; userId: string; id: string }[] = [];
    for (const { kind, sql } of tamperings) {
      const [row] = await system.query<{ tenant: string; user: string; id: string }>(sql);
      flipped.push({ kind, tenantId: row!.tenant, userId: row!.user, id: row!.id });
    }
    const keysOf = (some: { kind: string; tenantId: string; id: string }[]) =>
      [...new Set(some.map(({ kind, tenantId, id }) => `${kind} ${tenantId} ${id}`))].sort();

    const all = await differencesOf([]);
    expect(keysOf(all)).to.deep.equal(keysOf(flipped));
    for (const { kind, live, replayed, liveExplanation, replayedExplanation } of all) {
      expect([live, replayed]).to.not.include(null);
      if (kind === 'recipient') continue;
      expect(liveExplanation, kind).to.not.deep.equal([]);
      expect(replayedExplanation, kind).to.not.deep.equal([]);
    }
    const tenantId = flipped[0]!.tenantId;
    const ofTenant = flipped.filter((one) => one.tenantId === tenantId);
    expect(keysOf(await differencesOf(['--tenant', tenantId]))).to.deep.equal(keysOf(ofTenant));
    const { userId } = flipped[0]!;
    const ofUser = ofTenant.filter((one) => one.userId === userId);
    const narrowed = await differencesOf(['--tenant', tenantId, '--user', userId]);
    expect(keysOf(narrowed)).to.deep.equal(keysOf(ofUser));
    const untouched = await system.tributary([
      ...['replay', 'verify', '--tenant', tenantId, '--user', 'user-239'],
    ]);
    expect([untouched.code, untouched.out]).to.deep.equal([0, untouched.out]);
  });

  async function differencesOf(flags: string[]): Promise<VerifyResult['differences']['shown']> {
    const { code, out, err } = await system.tributary(['--json', 'replay', 'verify', ...flags]);
    expect(code, out + err).to.equal(1);
    const { result } = JSON.parse(out) as { result: VerifyResult };
    expect(result.outcome).to.equal('different');
    return result.differences.shown;
  }
});

const campaignBody = {
  name: 'strict',
  landingUrl: 'https://example.com/join',
  creditScale: 2,
  rules: [
    {
      ruleId: 'large',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '3' },
    },
  ],
};

/** The children of a process with all of their own: they lead a group. */
async function killTree(pid: number): Promise<void> {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(name);
    if (parent === pid) process.kill(-Number(name), 'SIGKILL');
  }
  return Promise.resolve();
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

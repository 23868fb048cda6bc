import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import { createRandom } from '../chain/random.ts';
import { type Chain, startChain } from '../chain/start-chain.ts';
import type { Fact } from '../chain/topics.ts';
import { makeWorld } from '../chain/world.ts';
import type { CommitCheckResult, Report, VerifyResult } from './replay-answers.ts';
import { type Replay, startReplay } from './start-replay.ts';

/** Jobs of the replay service as the portal asks for them, beside attribution and rewards at work. */
describe('verify, preview and commit', function () {
  this.timeout(240_000);
  const world = makeWorld(testSeed, 2_000);
  const random = createRandom(testSeed);
  const arriving: Fact[] = random.shuffle([...world.catalog, ...world.codes, ...world.events]);
  const later = arriving.filter((fact) => 'eventType' in fact).slice(0, 300);
  const held = new Set<Fact>(later);
  let chain: Chain;
  let replay: Replay;

  before(async () => {
    chain = await startChain();
    replay = await startReplay(chain, { replicas: 2 });
    await chain.topics.append(arriving.filter((fact) => !held.has(fact)));
  });
  after(async () => {
    await replay?.stop();
    await chain?.stop();
  });

  async function run<R>(kind: string, params: object): Promise<R> {
    const { jobId } = await replay.begin(kind, params);
    const job = await replay.ended(jobId);
    expect(job.status, JSON.stringify(job)).to.equal('done');
    return job.result as R;
  }

  it('finds live identical, all of it, one tenant, one user', async () => {
    const all = await run<VerifyResult>('verify', {});
    expect(all.outcome, JSON.stringify(all.differences)).to.equal('identical');
    expect(all.tenants.map(({ tenantId }) => tenantId)).to.deep.equal(['t-event', 't-first']);
    expect(all.events).to.be.above(1_000);
    const one = await run<VerifyResult>('verify', { tenantId: 't-first' });
    expect(one.outcome).to.equal('identical');
    expect(one.tenants).to.deep.equal(all.tenants.slice(1));
    const user = await run<VerifyResult>('verify', { tenantId: 't-event', userId: 'user-3' });
    expect(user.outcome).to.equal('identical');
    expect(user.tenants[0]!.rewards.count).to.be.above(0);
    expect(user.tenants[0]!.rewards.count).to.be.below(all.tenants[0]!.rewards.count);
  });

  it('is killed with its service twice while facts come, and still says identical', async () => {
    const { jobId } = await replay.begin('verify', {});
    const flow = chain.topics.append(later);
    for (const replica of replay.group.replicas) {
      await replica.kill('SIGKILL');
      await replica.restart();
    }
    await flow;
    const job = await replay.ended(jobId);
    expect(job.status, JSON.stringify(job)).to.equal('done');
    expect((job.result as VerifyResult).outcome).to.equal('identical');
  });

  it('says which row was flipped by hand', async () => {
    await chain.drained();
    const { rows } = await chain.db.query<{ reward_id: string; entitled: string }>(
      `update rewards_g1.entitlement set entitled = entitled + 1
       where reward_id = (select reward_id from rewards_g1.entitlement
                          where entitled > 0 order by reward_id limit 1)
       returning reward_id, entitled`,
    );
    const different = await run<VerifyResult>('verify', {});
    expect(different.outcome).to.equal('different');
    const ids = different.differences.shown.map(({ id }) => id);
    expect(ids).to.include(rows[0]!.reward_id);
    await chain.db.query(
      'update rewards_g1.entitlement set entitled = entitled - 1 where reward_id = $1',
      [rows[0]!.reward_id],
    );
    expect((await run<VerifyResult>('verify', {})).outcome).to.equal('identical');
  });

  it('tells what a draft would change, and after its commit live is that', async () => {
    const draft = draftOf('capped');
    const params = { tenantId: draft.tenantId, draft, effectiveFrom: draft.effectiveFrom };
    const report = await run<Report>('preview', params);
    expect(report).to.include({ campaignId: 'capped', draftRevision: 3, tenantId: 't-event' });
    expect(report.counts.changed + report.counts.new + report.counts.withdrawn).to.be.above(10);
    expect(report.largest).to.have.length.above(5);
    expect(report.largest[0]!.explanationAfter.length).to.be.above(0);
    expectSums(report);
    await expectChanges(report);

    // As the portal does it, a fact later; then again, which is answered as the first time.
    const publishedAt = new Date().toISOString();
    await chain.topics.append([{ ...draft, publishedAt, previewId: report.previewId }]);
    const asked = { previewId: report.previewId, revision: 3, publishedAt };
    const check = await replay.begin('commit-check', asked);
    expect((await replay.begin('commit-check', asked)).jobId).to.equal(check.jobId);
    const job = await replay.ended(check.jobId);
    const result = job.result as CommitCheckResult;
    expect(result, JSON.stringify(job)).to.deep.include({
      outcome: 'identical',
      previewHolds: true,
      arrived: { events: 0, shown: [] },
    });
    const [tenant] = report.tenants;
    const { tenantId, decisions, rewards } = result.tenants[0]!;
    expect({ tenantId, decisions, rewards }).to.deep.equal({
      ...{ tenantId: tenant!.tenantId, decisions: tenant!.decisions, rewards: tenant!.rewards },
    });
    const shown = await replay.get(`previews/${report.previewId}`);
    expect(shown.body).to.deep.include({ status: 'done' });
    expect((shown.body as { commit: { jobId: string } }).commit.jobId).to.equal(check.jobId);
  });

  it('tells the state of a past moment, and what has become of it', async () => {
    const never = await run<Report>('state', { until: '2025-12-31T00:00:00.000Z' });
    expect(never).to.include({ facts: 0, until: '2025-12-31T00:00:00.000Z' });
    expect(never.credits.before).to.equal('0');
    expect(never.counts).to.include({ unchanged: 0, withdrawn: 0, changed: 0 });
    const half = await run<Report>('state', {
      tenantId: 't-first',
      until: '2026-04-01T00:00:00.000Z',
    });
    expect(half.facts).to.be.above(100);
    expectSums(half);
    const now = await run<Report>('state', { until: '2030-01-01T00:00:00.000Z' });
    expect(now.counts).to.include({ new: 0, withdrawn: 0, changed: 0, toReview: 0 });
    const verified = await run<VerifyResult>('verify', {});
    const hashes = ({ tenantId, decisions, rewards, recipients }: Report['tenants'][number]) => {
      return { tenantId, decisions, rewards, recipients };
    };
    expect(now.tenants.map(hashes)).to.deep.equal(verified.tenants.map(hashes));
  });

  /** The second revision, back-dated and with half as much again for each purchase. */
  function draftOf(campaignId: string): CampaignRevisionRecord {
    const second = world.catalog.find(
      (record): record is CampaignRevisionRecord =>
        record.entity === 'campaign-revision' &&
        record.tenantId === 't-event' &&
        record.campaignId === campaignId &&
        record.revision === 2,
    )!;
    return {
      ...second,
      revision: 3,
      publishedAt: '9999-12-31T23:59:59.999Z',
      effectiveFrom: '2026-02-01T00:00:00.000Z',
      rules: second.rules.map((rule) => ({
        ...rule,
        effect: { kind: 'fixed' as const, credits: '4.5' },
      })),
    };
  }

  /** What is summed up by rule, by month and as a whole is the same. */
  function expectSums({ credits, counts, byRule, byMonth }: Report): void {
    const cents = (text: string) => Math.round(Number(text) * 1e6);
    for (const side of ['before', 'after'] as const) {
      const sum = (rows: { before: string; after: string }[]) =>
        rows.reduce((all, row) => all + cents(row[side]), 0);
      expect(sum(byRule), side).to.equal(cents(credits[side]));
      expect(sum(byMonth), side).to.equal(cents(credits[side]));
    }
    for (const kind of ['unchanged', 'new', 'withdrawn', 'changed', 'toReview'] as const) {
      expect(byRule.reduce((all, row) => all + row.counts[kind], 0)).to.equal(counts[kind]);
    }
    const moved =
      cents(credits.new) +
      cents(credits.increased) -
      cents(credits.withdrawn) -
      cents(credits.decreased);
    expect(cents(credits.before) + moved).to.equal(cents(credits.after));
  }

  /** Every change is a row, the largest first, page by page. */
  async function expectChanges({ previewId, counts }: Report): Promise<void> {
    type Page = { changes: { kind: string; before: string; after: string }[]; next?: string };
    const rows: Page['changes'] = [];
    let after = '';
    do {
      const { body } = await replay.get(`previews/${previewId}/changes?limit=50${after}`);
      const { changes, next } = body as Page;
      rows.push(...changes);
      after = next === undefined ? '' : `&after=${next}`;
    } while (after !== '');
    expect(rows).to.have.length(counts.new + counts.withdrawn + counts.changed);
    const sizes = rows.map((row) => Math.abs(Number(row.after) - Number(row.before)));
    expect(sizes.every((size, i) => i === 0 || size <= sizes[i - 1]! + 1e-9)).to.equal(true);
    const { body } = await replay.get(`previews/${previewId}/changes?kind=review&limit=1000`);
    expect((body as Page).changes).to.have.length(counts.toReview);
  }
});

import { catalogCodec } from '@tributary/contracts/catalog-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import fc from 'fast-check';
import type { CommitCheckResult, Report } from '@tributary/contracts/admin/replay-results';
import {
  entitlementColumns,
  type EntitlementRow,
  fromRow,
} from '../../services/rewards/src/db/entitlement-row.ts';
import { findWrongBooks } from '../chain/books.ts';
import { readDecisions, readState } from '../chain/current-state.ts';
import { makeWorld, type World } from '../chain/world.ts';
import { compareDecisions } from '../oracle/compare-decisions.ts';
import { compareRewards } from '../oracle/compare-rewards.ts';
import { expectedDecisions } from '../oracle/decisions.ts';
import { expectedRewards } from '../oracle/rewards.ts';
import { campaignRules, ruleStyles } from '../oracle/rules.ts';
import { receivedNow } from './flow.ts';
import { startSystem, type System } from './system.ts';

/**
 * Random rule sets, two and two: one is committed, the other is previewed and committed over it,
 * and the first again. What is live afterwards is what the preview showed and what the oracle says,
 * by entries.
 */
describe('pairs of rule sets, previewed and committed', function () {
  this.timeout(600_000);
  const [tenantId, campaignId] = ['t-event', 'capped'];
  const world = withCodesInOrder(makeWorld(testSeed, 520));
  const events: EventRecord[] = world.events.slice(0, 460);
  const arriving = world.events.slice(460);
  const ruleSets = fc.sample(campaignRules(ruleStyles.plain), { seed: testSeed, numRuns: 60 });
  let system: System;

  before(async () => {
    system = await startSystem([...world.catalog, ...world.codes], [tenantId, 't-first']);
    await system.topics.append(events);
    await system.atRest();
  });
  after(() => system?.stop());

  it('live is what the preview showed, whatever arrived in between', async () => {
    const [first, second] = [await acceptable(), await acceptable()];
    expect((await committed(first)).sent).to.equal(0);
    const { previewId } = await preview(second);
    const late = arriving.map(receivedNow);
    await system.topics.append(late);
    events.push(...late);
    await system.atRest();
    const { check, sent } = await commitQuietly(previewId);
    expect(sent).to.equal(0);
    const listed = late.filter((event) => event.tenantId === tenantId);
    expect(check).to.include({ outcome: 'identical', previewHolds: true });
    expect(check.arrived.events).to.equal(listed.length);
    expect(check.arrived.shown.map(({ eventId }) => eventId).sort()).to.deep.equal(
      listed.map(({ eventId }) => eventId).sort(),
    );
    await matchesTheOracle();
    await releaseAndCheck();
  });

  it('the old rules again bring every balance back, by entries', async () => {
    const first = await acceptable();
    await committed(first);
    await releaseAndCheck();
    const [balances, state] = [await balancesNow(), await readState(system.db())];
    await system.query('create temp table books as table rewards_g1.ledger_entry');

    const shown = await committed(await otherRules());
    expect(await balancesNow()).to.not.deep.equal(balances);
    await releaseAndCheck();
    await twiceIsOnce(shown.previewId);

    await committed(first);
    expect(await balancesNow()).to.deep.equal(balances);
    const now = await readState(system.db());
    expect([...now.entitlements.values()].sort()).to.deep.equal(
      [...state.entitlements.values()].sort(),
    );
    const rewritten = await system.query(
      'select * from books except select * from rewards_g1.ledger_entry',
    );
    expect(rewritten).to.deep.equal([]);
    await releaseAndCheck();
  });

  /** Previewed, committed and checked, with nothing arriving meanwhile. */
  async function committed(rules: object[]): Promise<{ previewId: string; sent: number }> {
    const { report, previewId } = await preview(rules);
    const before = await entitledNow();
    const { check, sent } = await commitQuietly(previewId);
    expect(check).to.deep.include({
      outcome: 'identical',
      previewHolds: true,
      arrived: { events: 0, shown: [] },
    });
    const reported = check.tenants.map(({ identical: _identical, ...hashes }) => hashes);
    // Whatever was sent is a fact of a moment that the preview could not know of.
    const compared =
      sent === 0 ? reported : reported.map(({ tenantId: id, decisions }) => [id, decisions]);
    expect(compared).to.deep.equal(
      sent === 0
        ? report.tenants
        : report.tenants.map(({ tenantId: id, decisions }) => [id, decisions]),
    );
    await matchesTheOracle();
    const after = await entitledNow();
    const higher = [...after].filter(([id, now]) => now.entitled > (before.get(id)?.entitled ?? 0));
    const unseen = higher.filter(([, now]) => now.reviews === 0);
    expect(unseen, 'higher, and not to be reviewed').to.deep.equal([]);
    expect(report.counts.new + report.counts.changed).to.be.at.least(higher.length);
    return { previewId, sent };
  }

  async function preview(rules: object[]): Promise<{ previewId: string; report: Report }> {
    const answer = await system.call<{ previewId: string }>('POST', '/api/replay/previews', {
      ...{ tenantId, campaignId, campaign: campaignOf(rules) },
      effectiveFrom: '2025-06-01T00:00:00Z',
    });
    const report = await system.resultOf<Report>(answer.previewId);
    return { previewId: answer.previewId, report };
  }

  /**
   * Nobody is sent anything for it, but for rewards that an operator released after an earlier
   * commit: their word is on the reward, and holds for what it grows by.
   */
  async function commitQuietly(
    previewId: string,
  ): Promise<{ check: CommitCheckResult; sent: number }> {
    const sent = system.receiver.arrivals.length;
    const path = `/api/replay/previews/${previewId}/commit`;
    const { checkJobId } = await system.call<{ checkJobId: string }>('POST', path, { by: 'olga' });
    const check = await system.resultOf<CommitCheckResult>(checkJobId);
    await system.atRest();
    const rewardIds = system.receiver.arrivals.slice(sent).map(({ body }) => {
      const { data } = JSON.parse(body) as { data: { rewardId: string } };
      return data.rewardId;
    });
    const unasked = await system.query(
      `select reward_id, rule_id, state, action from rewards_g1.entitlement
       where reward_id = any($1) and action is distinct from 'released'`,
      [rewardIds],
    );
    expect(unasked).to.deep.equal([]);
    return { check, sent: rewardIds.length };
  }

  async function twiceIsOnce(previewId: string): Promise<void> {
    const written = async () => [
      (await system.topics.read('catalog', catalogCodec)).length,
      await system.query('select count(*) from rewards_g1.ledger_posting'),
      system.receiver.arrivals.length,
    ];
    const before = await written();
    const path = `/api/replay/previews/${previewId}/commit`;
    const one = await system.call('POST', path, { by: 'peter', note: 'again' });
    expect(one).to.deep.include({ previewId, by: 'olga' });
    expect(await system.call('POST', path, {})).to.deep.equal(one);
    await system.atRest();
    expect(await written()).to.deep.equal(before);
  }

  /** What was in review goes out once, and what was issued is what was sent. */
  async function releaseAndCheck(): Promise<void> {
    await system.releaseAllInReview(tenantId, campaignId);
    await system.atRest();
    expect(await findWrongBooks(system.db())).to.deep.equal([]);
    const facts = await system.topics.read('issuances', issuanceCodec);
    const issued = facts.flatMap((fact) => (fact.type === 'issued' ? [fact.webhookEventId] : []));
    expect(system.receiver.arrivals.map(({ eventId }) => eventId).sort()).to.deep.equal(
      [...new Set(issued)].sort(),
    );
    const twice = await system.query(
      `select reward_id from issuance.issuance join rewards_g1.entitlement using (reward_id)
       group by 1, entitled having sum(credits) > greatest(max(issued), entitled)`,
    );
    expect(twice, 'issued twice').to.deep.equal([]);
  }

  async function matchesTheOracle(): Promise<void> {
    const catalog = await system.topics.read('catalog', catalogCodec);
    const all = {
      ...{ events, codes: world.codes },
      tenants: catalog.filter((record) => record.entity === 'tenant'),
      revisions: catalog.filter((record) => record.entity === 'campaign-revision'),
    };
    const expected = expectedDecisions(all);
    compareDecisions(await readDecisions(system.db(), system.topics), expected);
    const rows = await system.query<EntitlementRow>(
      `select ${entitlementColumns.join(', ')} from rewards_g1.entitlement`,
    );
    compareRewards(rows.map(fromRow), expectedRewards(all, expected));
  }

  const balancesNow = () =>
    system.query(
      `select tenant_id, recipient_id, trim_scale(entitled)::text as entitled
       from rewards_g1.recipient where entitled <> 0 order by 1, 2`,
    );

  async function entitledNow(): Promise<Map<string, Amount>> {
    const rows = await system.query<Amount & { id: string }>(
      `select reward_id as id, entitled::float8 as entitled,
         json_array_length(reviews) as reviews
       from rewards_g1.entitlement`,
    );
    return new Map(rows.map(({ id, ...row }) => [id, row]));
  }

  /** The next that make a difference to somebody's balance. */
  async function otherRules(): Promise<object[]> {
    for (;;) {
      const rules = await acceptable();
      const { byReferrer } = (await preview(rules)).report;
      if (byReferrer.some(({ before, after }) => before !== after)) return rules;
    }
  }

  /** The next rules that the portal takes. */
  async function acceptable(): Promise<object[]> {
    for (;;) {
      const rules = ruleSets.shift()!;
      const check = await system.call<{ valid: boolean }>(
        'POST',
        '/api/campaign-check',
        campaignOf(rules),
      );
      if (check.valid) return rules;
    }
  }
});

/** Without those that are disabled before they are issued: nothing says what such a code is. */
function withCodesInOrder(world: World): World {
  const codes = world.codes.filter(
    ({ type, tenantId, ucc, at }) =>
      type === 'code-issued' ||
      !world.codes.some(
        (other) => other.tenantId === tenantId && other.ucc === ucc && other.at > at,
      ),
  );
  return { ...world, codes };
}

type Amount = { entitled: number; reviews: number };

function campaignOf(rules: object[]): object {
  return { name: 'capped', landingUrl: 'https://example.com/join', creditScale: 2, rules };
}

import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { codeOf, purchase, revisionOf, tenantOf } from '../chain/records.ts';
import { startSystem, type System } from './system.ts';

/**
 * What an operator is shown of credits, whichever way they ask, in two cases where the state of a
 * reward on the log is not the whole answer: a settled reward that has grown, and one that a limit
 * cut to nothing.
 */
describe('what is shown of credits', function () {
  this.timeout(300_000);
  const tenantId = 't1';
  const rewardsPath = `/api/tenants/${tenantId}/rewards`;
  const ruleOf = (credits: string): CampaignRule => ({
    ...{ ruleId: 'purchase', trigger: 'purchase-created', recipient: 'referrer' },
    effect: { kind: 'fixed', credits },
  });
  const onlyOne = { perRecipient: [{ period: 'lifetime' as const, count: 1 }] };
  const boughtBy = (n: number, userId: string, ucc: string) =>
    purchase({
      ...{ n, tenantId, userId, ucc, occurredAt: `2026-03-0${n}T10:00:00Z` },
      payment: { invoiceId: `inv-${n}`, currency: 'EUR', amount: 4_900 },
    });
  const raised = boughtBy(1, 'cara', 'AnnaCode001');
  const first = boughtBy(2, 'dora', 'BertCode001');
  const capped = boughtBy(3, 'dora', 'BertCode001');
  let system: System;

  before(async () => {
    const capping = [{ ...ruleOf('10'), limits: onlyOne }];
    system = await startSystem(
      [
        tenantOf({ tenantId }),
        revisionOf({ tenantId, campaignId: 'spring', rules: [ruleOf('10')] }),
        revisionOf({ tenantId, campaignId: 'autumn', rules: capping }),
      ],
      [tenantId],
    );
    await system.topics.append([
      codeOf({ tenantId, campaignId: 'spring', ucc: 'AnnaCode001', productUserId: 'anna' }),
      codeOf({ tenantId, campaignId: 'autumn', ucc: 'BertCode001', productUserId: 'bert' }),
    ]);
    await system.topics.append([raised, first, capped]);
    await shown();
  });
  after(() => system?.stop());

  describe('a campaign that is raised from 10 to 15 after 10 were issued', () => {
    before(async () => {
      const campaign = { name: 'Spring', landingUrl: 'https://example.com/join', creditScale: 2 };
      const { previewId } = await system.call<{ previewId: string }>(
        'POST',
        '/api/replay/previews',
        {
          ...{ tenantId, campaignId: 'spring', effectiveFrom: '2025-06-01T00:00:00Z' },
          campaign: { ...campaign, rules: [ruleOf('15')] },
        },
      );
      await system.resultOf(previewId);
      await tributary(['replay', 'commit', previewId, '--by', 'olga']);
      await shown();
    });

    it('leaves 5 in review: in explain, the balance and the list', async () => {
      const text = await tributary(['explain', raised.eventId]);
      expect(text).to.contain('entitled 15, issued 10, 5 kept back (review).');
      expect(text).to.match(/State: issued; 5 credits more are in review.*published after/);
      expect(text).not.to.contain('went into');
      expect(await balanceOf('anna')).to.include({
        ...{ entitled: '15', issued: '10', held: '0', review: '5', owed: '5' },
      });
      const [reward, ...others] = await list('state=review');
      expect(others).to.deep.equal([]);
      expect(reward).to.deep.include({
        ...{ state: 'issued', entitledCredits: '15', issuedCredits: '10' },
        open: [{ as: 'review', credits: '5' }],
      });
      const account = await tributary(['explain', '--user', 'anna', '--tenant', tenantId]);
      expect(account).to.contain('owed 5 (held 0, in review 5,');
      expect(account).to.contain('15 credits, issued (5 in review), by rule');
      const listed = await tributary(['reward', 'list', '--tenant', tenantId, '--state', 'review']);
      expect(listed).to.match(/ issued +15 +10 +5 review +anna /);
    });

    it('says why the 5 cannot be withheld', async () => {
      const [reward] = await list('state=review');
      expect(await withhold(reward)).to.contain(
        '10 of its 15 credits were issued, and 5 are in review',
      );
    });

    it('shows them as issued once an operator has released them', async () => {
      await system.releaseAllInReview(tenantId, 'spring');
      await shown();
      const text = await tributary(['explain', raised.eventId]);
      expect(text).to.contain('entitled 15, issued 15, nothing is open.');
      expect(await balanceOf('anna')).to.include({ issued: '15', review: '0', owed: '0' });
      expect(await list('state=review')).to.deep.equal([]);
    });
  });

  describe('a reward that a limit left no room for', () => {
    it('is capped and not reversed, in every list and explanation', async () => {
      expect(await list('state=reversed')).to.deep.equal([]);
      const [reward, ...others] = await list('state=capped');
      expect(others).to.deep.equal([]);
      expect(reward).to.deep.include({
        ...{ state: 'capped', eventId: capped.eventId, entitledCredits: '0', open: [] },
      });
      expect((await list('recipient=bert')).map(({ state }) => state)).to.have.members([
        ...['issued', 'capped'],
      ]);
      const told = await tributary(['explain', capped.eventId]);
      expect(told).to.contain('State: capped; a limit left no room for it.');
      const account = await tributary(['explain', '--user', 'bert', '--tenant', tenantId]);
      expect(account).to.contain('0 credits, capped, by rule "purchase"');
      const paths = [
        `/api/explain?event=${capped.eventId}`,
        `/api/events/${capped.eventId}`,
        `/api/tenants/${tenantId}/timeline?user=bert`,
      ];
      for (const path of paths) {
        const body = JSON.stringify(await system.call('GET', path));
        expect(body, path).to.contain('"state":"capped"').and.not.to.contain('"reversed"');
      }
    });

    it('adds nothing to what was taken back', async () => {
      expect(await balanceOf('bert')).to.include({ entitled: '10', issued: '10', reversed: '0' });
    });

    it('cannot be withheld, because of the limit', async () => {
      const [reward] = await list('state=capped');
      expect(await withhold(reward)).to.contain('a limit left no room for it');
    });
  });

  /** Until all is done, and the read model has what was on the log then. */
  async function shown(): Promise<void> {
    await system.atRest();
    const since = Date.now();
    await eventually(
      async () => {
        const { asOf } = await system.call<{ asOf: string | null }>('GET', rewardsPath);
        expect(asOf === null ? 0 : Date.parse(asOf)).to.be.at.least(since);
      },
      { deadlineMs: 60_000, everyMs: 100 },
    );
  }

  async function tributary(argv: readonly string[]): Promise<string> {
    const { code, out, err } = await system.tributary(argv);
    expect(code, err).to.equal(0);
    return out;
  }

  const balanceOf = (user: string) =>
    system.call<Record<string, string>>(
      'GET',
      `/api/tenants/${tenantId}/recipients/${user}/balance`,
    );

  async function list(filter: string): Promise<Record<string, unknown>[]> {
    const path = `${rewardsPath}?${filter}`;
    return (await system.call<{ rewards: Record<string, unknown>[] }>('GET', path)).rewards;
  }

  async function withhold(reward: Record<string, unknown> | undefined): Promise<string> {
    const path = `${rewardsPath}/${String(reward?.['rewardId'])}/withhold`;
    const { status, body } = await system.ask('POST', path, { by: 'olga' });
    expect(status).to.equal(409);
    return (body as { detail: string }).detail;
  }
});

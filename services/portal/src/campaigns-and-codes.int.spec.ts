import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { deriveUcc } from '@tributary/contracts/ucc';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { startTestPortal, type TestPortal } from './testing/test-portal.ts';

const campaign = {
  name: 'Spring',
  landingUrl: 'https://example.com/join?plan=a',
  creditScale: 2,
  rules: [
    {
      ruleId: 'purchase',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '2.50' },
    },
  ],
};

describe('portal: campaigns and codes', () => {
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
  });
  after(() => portal.stop());
  afterEach(() => portal.clock.run());

  const createTenant = async (tenantId: string) => {
    const { body } = await portal.call('POST', '/api/tenants', { tenantId, name: tenantId });
    return body as { productId: string };
  };
  const put = (tenantId: string, campaignId: string, body: unknown = campaign) =>
    portal.call('PUT', `/api/tenants/${tenantId}/campaigns/${campaignId}`, body);
  const issue = (tenantId: string, body: unknown) =>
    portal.call('POST', `/api/tenants/${tenantId}/codes`, body);
  const revisionsOf = (tenantId: string) =>
    portal.catalog.filter(
      (record): record is CampaignRevisionRecord =>
        record.tenantId === tenantId && record.entity === 'campaign-revision',
    );
  const tenantVersions = (tenantId: string) =>
    portal.catalog.flatMap((record) =>
      record.tenantId === tenantId && record.entity === 'tenant'
        ? [[record.version, record.defaultCampaignId]]
        : [],
    );

  describe('campaigns', () => {
    it('stores each change as the next revision and the same content as the same', async () => {
      await createTenant('revisions');
      portal.clock.set('2026-03-01T12:00:00.000Z');
      const first = await put('revisions', 'spring');
      expect(first.status).to.equal(200);
      expect(first.body).to.deep.equal({
        campaignId: 'spring',
        revision: 1,
        effectiveFrom: '0000-01-01T00:00:00.000Z',
      });
      portal.clock.set('2026-03-01T12:00:01.000Z');
      expect((await put('revisions', 'spring')).body).to.deep.equal(first.body);
      const second = await put('revisions', 'spring', { ...campaign, status: 'stopped' });
      expect(second.body).to.include({ revision: 2, effectiveFrom: '2026-03-01T12:00:01.000Z' });
      await eventually(() => {
        const found = revisionsOf('revisions');
        expect(found.map((r) => [r.revision, r.version, r.status])).to.deep.equal([
          [1, 1, 'running'],
          [2, 1, 'stopped'],
        ]);
        expect(found[0]).to.deep.include({ ...campaign, campaignId: 'spring' });
      });
    });

    it('gives concurrent changes different numbers without a gap, and starts that grow', async () => {
      await createTenant('crowd');
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => put('crowd', 'c', { ...campaign, name: `v${i}` })),
      );
      expect(answers.every(({ status }) => status === 200)).to.equal(true);
      const numbers = answers.map(({ body }) => Number(body['revision'])).sort((a, b) => a - b);
      expect(numbers).to.deep.equal(Array.from({ length: 20 }, (_, i) => i + 1));
      await eventually(() => {
        const found = revisionsOf('crowd').sort((a, b) => a.revision - b.revision);
        expect(found.map(({ revision }) => revision)).to.deep.equal(numbers);
        const starts = found.map(({ effectiveFrom }) => effectiveFrom);
        expect(starts).to.deep.equal([...starts].sort());
      });
      expect(tenantVersions('crowd')).to.deep.equal([
        [1, null],
        [2, 'c'],
      ]);
    });

    it('makes one revision of concurrent equal requests', async () => {
      await createTenant('echo');
      const answers = await Promise.all(Array.from({ length: 10 }, () => put('echo', 'c')));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
    });

    it('takes the first campaign as default, and another one when told', async () => {
      await createTenant('defaults');
      await put('defaults', 'one');
      await put('defaults', 'two');
      const choose = (campaignId: string) =>
        portal.call('PUT', '/api/tenants/defaults/default-campaign', { campaignId });
      expect((await choose('three')).status).to.equal(404);
      for (const _ of [1, 2]) {
        const chosen = await choose('two');
        expect(chosen.status).to.equal(200);
        expect(chosen.body).to.deep.equal({ defaultCampaignId: 'two' });
      }
      await eventually(() =>
        expect(tenantVersions('defaults')).to.deep.equal([
          [1, null],
          [2, 'one'],
          [3, 'two'],
        ]),
      );
    });

    it('refuses to begin before now, at its pointer (design 7)', async () => {
      await createTenant('past');
      const { status, body } = await put('past', 'c', {
        ...campaign,
        effectiveFrom: '2020-01-01T00:00:00Z',
      });
      expect(status).to.equal(422);
      expect(body.errors).to.have.length(1);
      expect(body.errors?.[0]).to.include({ pointer: '/effectiveFrom', code: 'OUT_OF_RANGE' });
    });

    it('takes a later begin, and the same request again after it has passed', async () => {
      await createTenant('planned');
      portal.clock.set('2026-03-01T12:00:00.000Z');
      const planned = { ...campaign, effectiveFrom: '2026-03-02T01:00:00+01:00' };
      const first = await put('planned', 'c', planned);
      expect(first.body).to.include({ revision: 1, effectiveFrom: '2026-03-02T00:00:00.000Z' });
      portal.clock.set('2026-03-03T00:00:00.000Z');
      expect((await put('planned', 'c', planned)).body).to.deep.equal(first.body);
    });

    it('refuses an id that cannot be one', async () => {
      await createTenant('ids');
      for (const id of ['a:b', '%00', 'a%2Fb', 'a'.repeat(65)]) {
        const { status, body } = await put('ids', id);
        expect([status, body.code]).to.deep.equal([422, 'VALIDATION_ERROR']);
      }
      expect((await put('nobody', 'c')).status).to.equal(404);
    });
  });

  describe('codes', () => {
    it('derives the code of a user, once, with its link', async () => {
      const { productId } = await createTenant('codes');
      await put('codes', 'spring');
      const parts = {
        tenantId: 'codes',
        campaignId: 'spring',
        productUserId: 'ada',
        generation: 1,
      };
      const ucc = deriveUcc(portal.uccKey, parts);
      const first = await issue('codes', { productUserId: 'ada' });
      const second = await issue('codes', { productUserId: 'ada', campaignId: 'spring' });
      expect([first.status, second.status]).to.deep.equal([201, 200]);
      expect(first.body).to.deep.equal({
        ucc,
        campaignId: 'spring',
        productUserId: 'ada',
        link: `https://example.com/join?plan=a&productId=${productId}&ucc=${ucc}`,
      });
      expect(second.body).to.deep.equal(first.body);
      await issue('codes', { productUserId: 'bob' });
      await eventually(() => {
        const found = portal.codes.filter(({ tenantId }) => tenantId === 'codes');
        expect(found.map((r) => [r.type, r.productUserId, r.version])).to.have.deep.members([
          ['code-issued', 'ada', 1],
          ['code-issued', 'bob', 1],
        ]);
      });
    });

    it('gives a custom code to the first of concurrent users, and to nobody else', async () => {
      await createTenant('custom');
      await put('custom', 'spring');
      const users = Array.from({ length: 10 }, (_, i) => `user-${i}`);
      const wish = (productUserId: string) => issue('custom', { productUserId, ucc: 'SUMMER é' });
      const answers = await Promise.all(users.map(wish));
      const winners = users.filter((_, i) => answers[i]?.status === 201);
      expect(winners).to.have.length(1);
      const losers = answers.filter(({ status }) => status !== 201);
      expect(
        losers.every(({ status, body }) => status === 409 && body.code === 'CONFLICT'),
      ).to.equal(true);
      expect((await wish(winners[0]!)).status).to.equal(200);
      await eventually(() => {
        const found = portal.codes.filter(({ tenantId }) => tenantId === 'custom');
        expect(found.map((r) => [r.ucc, r.productUserId])).to.deep.equal([
          ['SUMMER é', winners[0]],
        ]);
      });
    });

    it('lets two tenants use the same custom code', async () => {
      for (const tenantId of ['north', 'south']) {
        await createTenant(tenantId);
        await put(tenantId, 'spring');
        const answer = await issue(tenantId, { productUserId: 'ada', ucc: 'HELLO' });
        expect(answer.status).to.equal(201);
      }
    });

    it('refuses a custom code in the derived form, and what has no campaign', async () => {
      await createTenant('bare');
      const noCampaign = await issue('bare', { productUserId: 'ada' });
      expect([noCampaign.status, noCampaign.body.code]).to.deep.equal([409, 'CONFLICT']);
      await put('bare', 'spring');
      const unknown = await issue('bare', { productUserId: 'ada', campaignId: 'autumn' });
      expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'NOT_FOUND']);
      const derived = await issue('bare', { productUserId: 'ada', ucc: 'abcDEF12345' });
      expect(derived.status).to.equal(422);
      expect(derived.body.errors?.[0]).to.include({ pointer: '/ucc', code: 'INVALID_FORMAT' });
      expect((await issue('nobody', { productUserId: 'ada' })).status).to.equal(404);
    });
  });
});

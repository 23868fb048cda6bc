import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { codeCodec } from '@tributary/contracts/code-record';
import { recordKey } from '@tributary/contracts/topics';
import { deriveUcc } from '@tributary/contracts/ucc';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

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

/** Every member, as the record has it. */
const whole = {
  name: 'Whole',
  status: 'running',
  effectiveFrom: '2126-01-01T00:00:00.000Z',
  landingUrl: 'https://example.com/join',
  creditScale: 2,
  attributionWindowDays: 90,
  referralLoops: 'review',
  existingUsers: 'exclude',
  ruleMatching: 'first',
  newUserDiscountBasisPoints: 1000,
  newUserDiscountMonth: 3,
  rules: [
    {
      ruleId: 'share',
      trigger: 'purchase-created',
      recipient: 'both',
      effect: { kind: 'percent', basisPoints: 1000, creditsPerMajorUnit: { EUR: '1' } },
      newUserEffect: { kind: 'fixed', credits: '2.50' },
      conditions: { intervals: ['monthly'], minimumAmounts: { EUR: 1000 } },
      limits: { months: 12, perRecipient: [{ period: 'month', credits: '100', count: 10 }] },
      holdDays: 14,
      refundPolicy: 'full',
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
      expect(first.body).to.deep.include({
        campaignId: 'spring',
        revision: 1,
        effectiveFrom: '0000-01-01T00:00:00.000Z',
      });
      const { warnings } = first.body as { warnings: { code: string }[] };
      expect(warnings.map(({ code }) => code)).to.deep.equal([
        'LATE_EVENTS_REVIEWED',
        'PAYS_FOR_NOTHING',
        'SENT_BEFORE_REFUND',
      ]);
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

    it('publishes every member, and shows it again as it was stored', async () => {
      await createTenant('whole');
      expect((await put('whole', 'spring', whole)).status).to.equal(200);
      await eventually(() => expect(revisionsOf('whole')[0]).to.deep.include(whole));
      const path = '/api/tenants/whole/campaigns/spring';
      const all = await portal.call('GET', path);
      expect(all.body).to.deep.include({ campaignId: 'spring', revisionInForce: null });
      expect(all.body).to.have.nested.property('revisions.length', 1);
      expect((all.body as { revisions: object[] }).revisions[0]).to.deep.include(whole);
      expect((await put('whole', 'spring', whole)).body).to.include({ revision: 1 });

      const one = (await portal.call('GET', `${path}/revisions/1`)).body;
      expect(one).to.deep.include(whole);
      expect(one).to.have.nested.property('explanation.rules[0].ruleId', 'share');
      expect(one['warnings']).to.be.an('array');
    });

    it('lists campaigns, and the revisions of one with the one in force', async () => {
      await createTenant('listed');
      expect((await portal.call('GET', '/api/tenants/listed/campaigns')).body).to.deep.equal({
        campaigns: [],
      });
      portal.clock.set('2026-03-01T12:00:00.000Z');
      await put('listed', 'spring');
      await put('listed', 'spring', {
        ...campaign,
        name: 'Later',
        effectiveFrom: '2026-04-01T00:00:00Z',
      });
      await put('listed', 'autumn');
      const listed = await portal.call('GET', '/api/tenants/listed/campaigns');
      const { campaigns } = listed.body as { campaigns: Record<string, unknown>[] };
      expect(campaigns.map((c) => [c['campaignId'], c['revision'], c['name']])).to.deep.equal([
        ['autumn', 1, 'Spring'],
        ['spring', 2, 'Later'],
      ]);
      const spring = () => portal.call('GET', '/api/tenants/listed/campaigns/spring');
      const { body } = await spring();
      expect(body['revisionInForce']).to.equal(1);
      const { revisions } = body as { revisions: Record<string, unknown>[] };
      expect(revisions.map((r) => [r['revision'], r['publishedAt']])).to.deep.equal([
        [2, '2026-03-01T12:00:00.000Z'],
        [1, '2026-03-01T12:00:00.000Z'],
      ]);
      portal.clock.set('2026-04-01T00:00:00.000Z');
      expect((await spring()).body['revisionInForce']).to.equal(2);
    });

    it('knows no campaign, revision or tenant that is not there', async () => {
      await createTenant('lost');
      await put('lost', 'spring');
      for (const path of [
        'nobody/campaigns',
        'lost/campaigns/autumn',
        'lost/campaigns/a:b',
        'lost/campaigns/spring/revisions/2',
        'lost/campaigns/spring/revisions/0',
        'lost/campaigns/spring/revisions/1.0',
        'lost/campaigns/spring/revisions/99999999999999999999',
      ]) {
        const { status, body } = await portal.call('GET', `/api/tenants/${path}`);
        expect([status, body.code], path).to.deep.equal([404, 'NOT_FOUND']);
      }
    });

    it('checks a campaign without storing it', async () => {
      const check = (body: unknown) => portal.call('POST', '/api/campaign-check', body);
      const sound = await check(whole);
      expect(sound.status).to.equal(200);
      expect(sound.body).to.include({ valid: true }).and.to.have.property('explanation');
      expect(sound.body['mistakes']).to.deep.equal([]);
      const rules = Array.from({ length: 25 }, (_, i) => ({
        ...campaign.rules[0],
        ruleId: `:${i}`,
      }));
      const wrong = await check({ ...campaign, rules });
      expect([wrong.status, wrong.body['valid']]).to.deep.equal([200, false]);
      expect(wrong.body['mistakes']).to.have.length(25);
      expect(wrong.body).not.to.have.property('explanation');
      expect((await portal.call('GET', '/api/campaign-check')).status).to.equal(405);
    });

    it('checks a start by the rule that a put is refused by', async () => {
      portal.clock.set('2026-03-01T12:00:00.000Z');
      await createTenant('checked');
      const check = async (body: object, place = '?tenantId=checked&campaignId=spring') =>
        (await portal.call('POST', `/api/campaign-check${place}`, body)).body;
      const planned = { ...campaign, effectiveFrom: '2026-03-02T00:00:00Z' };
      expect(await check(planned)).to.deep.include({ valid: true, mistakes: [] });
      expect((await put('checked', 'spring', planned)).status).to.equal(200);

      portal.clock.set('2026-03-03T00:00:00.000Z');
      const changed = { ...planned, name: 'Changed' };
      const refused = await put('checked', 'spring', changed);
      expect([refused.status, refused.body.errors]).to.deep.equal([
        422,
        (await check(changed))['mistakes'],
      ]);
      expect(await check(changed)).to.have.property('valid', false);
      // The same is stored already, so a put is answered with it.
      expect((await put('checked', 'spring', planned)).body['revision']).to.equal(1);
      expect(await check(planned)).to.deep.include({ valid: true, mistakes: [] });

      for (const place of ['', '?tenantId=checked', '?tenantId=checked&campaignId=autumn']) {
        const found = await check(planned, place);
        expect(found['valid'], place).to.equal(false);
        expect(found, place).to.have.nested.property('mistakes[0].pointer', '/effectiveFrom');
      }
      expect(JSON.stringify(await check(planned, ''))).to.contain('stored exactly so already');
      const unset = await check(campaign, '?tenantId=typo&campaignId=spring');
      expect((await put('typo', 'spring', campaign)).status).to.equal(404);
      expect(unset).to.deep.include({ valid: false }).and.to.not.have.property('explanation');
      expect(unset).to.have.nested.property('mistakes[0].pointer', '/tenantId');
      const both = await check({ ...campaign, rules: 1 }, '?tenantId=typo');
      const pointers = (both['mistakes'] as { pointer: string }[]).map(({ pointer }) => pointer);
      expect(pointers).to.deep.equal(['/tenantId', '/rules']);
      expect(await check(campaign, '?tenantId=checked')).to.have.property('valid', true);
      const wrong = await portal.call('POST', '/api/campaign-check?tenant=checked', planned);
      expect([wrong.status, wrong.body.code]).to.deep.equal([422, 'VALIDATION_ERROR']);
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
        expect(tenantVersions('crowd')).to.deep.equal([
          [1, null],
          [2, 'c'],
        ]);
      });
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

    it('warns of a planned revision that takes over, and stops the campaign again after it has', async () => {
      await createTenant('takeover');
      const stopped = { ...campaign, status: 'stopped' };
      const codesOf = ({ body }: { body: Record<string, unknown> }) =>
        (body['warnings'] as { code: string }[]).map(({ code }) => code);
      const inForce = async () => {
        const { body } = await portal.call('GET', '/api/tenants/takeover/campaigns/c');
        return body['revisionInForce'];
      };
      portal.clock.set('2026-03-01T12:00:00.000Z');
      await put('takeover', 'c');
      const planned = { ...campaign, name: 'April', effectiveFrom: '2026-04-01T00:00:00Z' };
      expect(codesOf(await put('takeover', 'c', planned))).to.not.include('TAKEN_OVER_LATER');
      portal.clock.set('2026-03-02T12:00:00.000Z');
      for (let times = 0; times < 2; times += 1) {
        const stop = await put('takeover', 'c', stopped);
        expect(stop.body).to.include({ revision: 3 });
        expect(codesOf(stop)).to.include('TAKEN_OVER_LATER');
      }
      expect(await inForce()).to.equal(3);
      portal.clock.set('2026-04-02T00:00:00.000Z');
      expect(await inForce()).to.equal(2);
      const again = await put('takeover', 'c', stopped);
      expect(again.body).to.include({ revision: 4, effectiveFrom: '2026-04-02T00:00:00.000Z' });
      expect(codesOf(again)).to.not.include('TAKEN_OVER_LATER');
      expect(await inForce()).to.equal(4);
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
      const input = (productUserId: string) => issue('custom', { productUserId, ucc: 'SUMMER é' });
      const answers = await Promise.all(users.map(input));
      const winners = users.filter((_, i) => answers[i]?.status === 201);
      expect(winners).to.have.length(1);
      const losers = answers.filter(({ status }) => status !== 201);
      expect(
        losers.every(({ status, body }) => status === 409 && body.code === 'CONFLICT'),
      ).to.equal(true);
      expect((await input(winners[0]!)).status).to.equal(200);
      await eventually(() => {
        const found = portal.codes.filter(({ tenantId }) => tenantId === 'custom');
        expect(found.map((r) => [r.ucc, r.productUserId])).to.deep.equal([
          ['SUMMER é', winners[0]],
        ]);
      });
    });

    it('disables a code once, with the next version', async () => {
      await createTenant('ended');
      await put('ended', 'spring');
      const disable = (ucc: string) =>
        portal.call('POST', '/api/tenants/ended/codes/disable', { ucc });
      const ucc = 'SUMMER / é';
      expect((await issue('ended', { productUserId: 'ada', ucc })).status).to.equal(201);
      portal.clock.set('2026-05-01T12:00:00.000Z');
      const answers = await Promise.all([disable(ucc), disable(ucc), disable(ucc)]);
      portal.clock.set('2026-05-02T12:00:00.000Z');
      for (const { status, body } of [...answers, await disable(ucc)]) {
        expect(status).to.equal(200);
        expect(body).to.deep.equal({
          ucc,
          campaignId: 'spring',
          productUserId: 'ada',
          disabledAt: '2026-05-01T12:00:00.000Z',
        });
      }
      const again = await issue('ended', { productUserId: 'ada', ucc });
      expect(again.status).to.equal(200);
      // No link: who follows it earns nobody anything.
      expect(again.body).to.deep.equal(answers[0].body);
      expect((await issue('ended', { productUserId: 'bob', ucc })).status).to.equal(409);
      for (const other of ['WINTER', 'summer / é']) {
        const { status, body } = await disable(other);
        expect([status, body.code]).to.deep.equal([404, 'NOT_FOUND']);
      }
      const elsewhere = await portal.call('POST', '/api/tenants/nobody/codes/disable', { ucc });
      expect(elsewhere.status).to.equal(404);
      await eventually(() => {
        const found = portal.codes.filter(({ tenantId }) => tenantId === 'ended');
        expect(found.map((r) => [r.type, r.version, r.productUserId])).to.deep.equal([
          ['code-issued', 1, 'ada'],
          ['code-disabled', 2, 'ada'],
        ]);
        expect(found[1]?.at).to.equal('2026-05-01T12:00:00.000Z');
      });
    });

    it('enables a disabled code once, with the next version, as often as it is disabled', async () => {
      await createTenant('freed');
      await put('freed', 'spring');
      const tell = (verb: string, ucc: string) =>
        portal.call('POST', `/api/tenants/freed/codes/${verb}`, { ucc });
      const { body: issued } = await issue('freed', { productUserId: 'ada' });
      const ucc = issued['ucc'] as string;
      expect(issued).to.have.property('link');
      // Nothing to do: it is answered as it is.
      expect((await tell('enable', ucc)).body).to.deep.equal(issued);

      portal.clock.set('2126-05-01T12:00:00.000Z');
      await tell('disable', ucc);
      portal.clock.set('2126-05-01T12:00:01.000Z');
      const answers = await Promise.all(['enable', 'enable'].map((verb) => tell(verb, ucc)));
      for (const { status, body } of answers) {
        expect([status, body]).to.deep.equal([200, issued]);
      }
      expect((await issue('freed', { productUserId: 'ada' })).body).to.deep.equal(issued);
      await tell('disable', ucc);
      // A clock that is behind enables it a moment after, not before.
      portal.clock.set('2126-05-01T11:00:00.000Z');
      await tell('enable', ucc);

      expect((await tell('enable', 'WINTER')).status).to.equal(404);
      const elsewhere = await portal.call('POST', '/api/tenants/nobody/codes/enable', { ucc });
      expect(elsewhere.status).to.equal(404);
      await eventually(() => {
        const found = portal.codes.filter(({ tenantId }) => tenantId === 'freed');
        expect(found.map((r) => [r.type, r.version, r.at.slice(11)])).to.deep.equal([
          ['code-issued', 1, found[0]?.at.slice(11)],
          ['code-disabled', 2, '12:00:00.000Z'],
          ['code-issued', 3, '12:00:01.000Z'],
          ['code-disabled', 4, '12:00:01.000Z'],
          ['code-issued', 5, '12:00:01.001Z'],
        ]);
        expect(
          new Set(found.map((r) => `${r.ucc} ${r.productUserId} ${r.campaignId}`)).size,
        ).to.equal(1);
      });
    });

    it('knows a code that a boot of the widget issued: keeps its owner, and disables it', async () => {
      await createTenant('booted');
      await put('booted', 'spring');
      const about = { tenantId: 'booted', campaignId: 'spring', productUserId: 'ada' };
      const ucc = deriveUcc(portal.uccKey, { ...about, generation: 1 });
      const at = '2026-05-01T12:00:00.000Z';
      const value = codeCodec.encode({
        ...about,
        ...{ schemaVersion: 1, type: 'code-issued', version: 1, ucc, at },
      });
      await portal.publish([{ topic: 'codes', key: recordKey('booted', ucc), value }]);
      await eventually(async () => {
        const { status, body } = await portal.call('POST', '/api/tenants/booted/codes/disable', {
          ucc,
        });
        expect(status).to.equal(200);
        expect(body).to.include({ ucc, campaignId: 'spring', productUserId: 'ada' });
      });
      // A custom code may not have the form of a derived one: nobody takes theirs.
      expect((await issue('booted', { productUserId: 'bob', ucc })).status).to.equal(422);
      expect((await issue('booted', { productUserId: 'ada' })).body).to.have.property('disabledAt');
      await eventually(() => {
        const found = portal.codes.filter(({ tenantId }) => tenantId === 'booted');
        expect(found.map((r) => [r.type, r.version, r.productUserId])).to.deep.equal([
          ['code-issued', 1, 'ada'],
          ['code-disabled', 2, 'ada'],
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

import type { WebhookEndpointRecord } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { openSecret } from '@tributary/runtime/secrets';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { signIn, signUp } from '../testing/people.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: how a webhook endpoint is run', () => {
  const url = 'https://example.com/hook';
  let portal: TestPortal;
  let tenants = 0;
  let tenantId: string;
  before(async () => {
    portal = await startTestPortal();
  });
  after(() => portal.stop());

  beforeEach(async () => {
    portal.clock.run();
    tenantId = `tenant-${(tenants += 1)}`;
    await portal.call('POST', '/api/tenants', { tenantId, name: 'Acme' });
    await set({ url, username: 'u', password: 'first' });
  });

  const set = (body: unknown) => portal.call('PUT', `/api/tenants/${tenantId}/webhook`, body);
  const tell = (verb: string, body: unknown) =>
    portal.call('POST', `/api/tenants/${tenantId}/webhook/${verb}`, body);
  const shown = async () =>
    (await portal.call('GET', `/api/tenants/${tenantId}`)).body['webhook'] as object;
  const recordsUpTo = (version: number) =>
    eventually(() => {
      const found = portal.catalog.filter(
        (record): record is WebhookEndpointRecord =>
          record.entity === 'webhook-endpoint' && record.tenantId === tenantId,
      );
      expect(found.map((record) => record.version)).to.deep.equal(
        Array.from({ length: version }, (_, i) => i + 1),
      );
      return found;
    });
  const open = (sealed: string | undefined) =>
    openSecret(
      portal.keyRings['webhook-passwords'],
      sealed ?? '',
      secretContext(tenantId, 'webhook-password'),
    );
  const by = 'olga@ops';

  describe('its status', () => {
    it('is told by an operator with a reason, published, and shown', async () => {
      const paused = await tell('pause', { by, reason: 'they move their servers' });
      expect(paused.status).to.equal(200);
      expect(paused.body).to.deep.include({
        url,
        username: 'u',
        status: 'paused',
        reason: 'they move their servers',
        changedBy: by,
      });
      expect(await shown()).to.deep.equal(paused.body);
      const disabled = await tell('disable', { by, reason: 'they left' });
      expect(disabled.body).to.include({ status: 'disabled', reason: 'they left' });
      const resumed = await tell('resume', { by: 'paul@ops' });
      expect(resumed.body).to.include({ status: 'active', changedBy: 'paul@ops' });
      expect(resumed.body).to.not.have.property('reason');
      const reported = (await recordsUpTo(4)).map(({ status, reason, changedBy }) => [
        status,
        reason,
        changedBy,
      ]);
      expect(reported).to.deep.equal([
        ['active', undefined, 'operator'],
        ['paused', 'they move their servers', by],
        ['disabled', 'they left', by],
        ['active', undefined, 'paul@ops'],
      ]);
    });

    it('is no change when it is there already: the first request stands', async () => {
      const answers = await Promise.all(
        ['olga', 'paul', 'quin', 'rosa'].map((name) =>
          tell('pause', { by: name, reason: `${name} says so` }),
        ),
      );
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
      await tell('resume', { by });
      expect((await recordsUpTo(3)).map(({ status }) => status)).to.deep.equal([
        'active',
        'paused',
        'active',
      ]);
    });

    it('stays as it is, with its reason but not by whom, when the address or credentials change', async () => {
      await tell('pause', { by, reason: 'moving' });
      await set({ url: 'https://example.com/other', password: 'first' });
      await tell('rotate', {});
      const [, paused, ...changed] = await recordsUpTo(4);
      expect(paused).to.include({ status: 'paused', reason: 'moving', changedBy: by });
      for (const record of changed) {
        expect(record).to.include({ status: 'paused', reason: 'moving', changedBy: 'operator' });
      }
    });
  });

  it('was changed by who set or rotated it, as an account', async () => {
    const [alice, bob] = await Promise.all(
      ['alice', 'bob'].map(async (name) => {
        const email = `${name}-${tenantId}@example.com`;
        const person = await signUp(portal, { email, tenantId, role: 'owner' });
        return { person, page: await signIn(portal, person) };
      }),
    );
    const at = `/api/tenants/${tenantId}/webhook`;
    await alice!.page.call('POST', `${at}/pause`, { reason: 'moving' });
    await bob!.page.call('PUT', at, { url: 'https://example.com/bob', password: 'p' });
    expect(await shown()).to.include({ changedBy: `account:${bob!.person.accountId}` });
    await alice!.page.call('POST', `${at}/rotate`, {});
    expect(await shown()).to.include({ changedBy: `account:${alice!.person.accountId}` });
  });

  describe('rotated credentials', () => {
    it('are new beside the old ones, which hold until the overlap is over', async () => {
      portal.clock.set('2026-03-01T12:00:00.000Z');
      const { status, body } = await tell('rotate', { overlapHours: 48 });
      expect(status).to.equal(200);
      expect(body).to.include({ url, username: 'u', previousUntil: '2026-03-03T12:00:00.000Z' });
      expect(Buffer.from(String(body['password']), 'base64url')).to.have.length(32);
      const record = (await recordsUpTo(2))[1];
      expect(open(record?.sealedPassword)).to.equal(body['password']);
      expect(record?.previous).to.include({ username: 'u', until: '2026-03-03T12:00:00.000Z' });
      expect(open(record?.previous?.sealedPassword)).to.equal('first');
      expect(await shown()).to.include({ credentialsOverlapUntil: '2026-03-03T12:00:00.000Z' });
    });

    it('overlap for a day when nothing is said, and not at all when told so', async () => {
      portal.clock.set('2026-03-01T12:00:00.000Z');
      const usual = await tell('rotate', undefined);
      expect(usual.body).to.include({ previousUntil: '2026-03-02T12:00:00.000Z' });
      const atOnce = await tell('rotate', { overlapHours: 0 });
      expect(atOnce.body).to.include({ previousUntil: null });
      const [, , record] = await recordsUpTo(3);
      expect(record).to.not.have.property('previous');
      expect(open(record?.sealedPassword)).to.equal(atOnce.body['password']);
    });

    it('rotated again in their overlap leave what receivers surely have as previous', async () => {
      portal.clock.set('2026-03-01T12:00:00.000Z');
      await tell('rotate', {});
      portal.clock.set('2026-03-01T18:00:00.000Z');
      const second = await tell('rotate', {});
      const [, , record] = await recordsUpTo(3);
      expect(open(record?.sealedPassword)).to.equal(second.body['password']);
      expect(open(record?.previous?.sealedPassword)).to.equal('first');
      expect(record?.previous?.until).to.equal('2026-03-02T18:00:00.000Z');
    });

    it('rotated after their overlap are themselves the previous ones', async () => {
      portal.clock.set('2026-03-01T12:00:00.000Z');
      const first = await tell('rotate', { overlapHours: 1 });
      portal.clock.set('2026-03-01T13:00:00.000Z');
      await tell('rotate', {});
      const [, , record] = await recordsUpTo(3);
      expect(open(record?.previous?.sealedPassword)).to.equal(first.body['password']);
    });

    it('lose their overlap to given ones, and when the address changes: only what is entered for it goes there', async () => {
      const { body } = await tell('rotate', {});
      await set({ url: 'https://example.com/other', password: body['password'] });
      await tell('rotate', {});
      await set({ url: 'https://example.com/other', password: 'given' });
      const [, , moved, rotated, given] = await recordsUpTo(5);
      expect(moved).to.not.have.property('previous');
      expect(open(moved?.sealedPassword)).to.equal(body['password']);
      expect(rotated).to.have.property('previous');
      expect(given).to.not.have.property('previous');
      expect(open(given?.sealedPassword)).to.equal('given');
    });

    it('drop an overlap that is over from the next record', async () => {
      portal.clock.set('2026-03-01T12:00:00.000Z');
      await tell('rotate', { overlapHours: 1 });
      portal.clock.set('2026-03-01T14:00:00.000Z');
      expect(await shown()).to.not.have.property('credentialsOverlapUntil');
      await tell('pause', { by, reason: 'moving' });
      expect((await recordsUpTo(3))[2]).to.not.have.property('previous');
    });

    it('are in clear in no table and no record (design 5)', async () => {
      const answers = [await tell('rotate', {}), await tell('rotate', {})];
      const kept = JSON.stringify(await recordsUpTo(3)) + (await portal.dumpTables());
      for (const { body } of answers) expect(kept).to.not.contain(body['password']);
    });
  });

  it('refuses a body with every mistake at its pointer', async () => {
    const examples: [string, unknown, string[]][] = [
      ['pause', {}, ['/reason REQUIRED']],
      [
        'disable',
        { by: '', reason: '', why: 1 },
        ['/by OUT_OF_RANGE', '/reason OUT_OF_RANGE', '/why UNKNOWN_FIELD'],
      ],
      ['resume', { by, reason: 'r'.repeat(1_001) }, ['/reason OUT_OF_RANGE']],
      ['rotate', { overlapHours: 721 }, ['/overlapHours OUT_OF_RANGE']],
      ['rotate', { overlapHours: 1.5 }, ['/overlapHours INVALID_TYPE']],
      ['test', { by }, ['/by UNKNOWN_FIELD']],
      ['recover', { by }, ['/since REQUIRED']],
      ['recover', { since: 'soon', until: 1 }, ['/since INVALID_FORMAT', '/until INVALID_TYPE']],
    ];
    for (const [verb, body, expected] of examples) {
      const answer = await tell(verb, body);
      const found = answer.body.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
      expect(answer.status, JSON.stringify(body)).to.equal(422);
      expect(found?.sort(), JSON.stringify(body)).to.deep.equal(expected);
    }
    expect(await recordsUpTo(1)).to.have.length(1);
  });

  it('answers 404 without a tenant and 409 without a webhook', async () => {
    await portal.call('POST', '/api/tenants', { tenantId: 'bare', name: 'Bare' });
    for (const verb of ['pause', 'resume', 'disable', 'rotate']) {
      const body = verb === 'rotate' ? {} : { by, reason: 'r' };
      for (const [tenant, status] of [
        ['nobody', 404],
        ['bare', 409],
      ] as const) {
        const answer = await portal.call('POST', `/api/tenants/${tenant}/webhook/${verb}`, body);
        expect(answer.status, `${tenant} ${verb}`).to.equal(status);
      }
    }
  });
});

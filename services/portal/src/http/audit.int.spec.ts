import { randomUUID } from 'node:crypto';
import type { AdminRoute } from '@tributary/contracts/admin/admin-route';
import { peopleRoutes } from '@tributary/contracts/admin/people';
import { silentLogger } from '@tributary/event-log/testing';
import { createPool } from '@tributary/runtime/postgres';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import pg from 'pg';
import {
  ask,
  bearer,
  type Page,
  password,
  type Person,
  signIn,
  signUp,
} from '../testing/people.ts';
import { bootstrap, type Caller, nobody } from '../accounts/domain/caller.ts';
import { operatorToken, startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { createAudited } from './audited.ts';
import { ClientGone } from './read-json.ts';
import { Refusal } from './refusal.ts';
import type { ServedRoute } from './route.ts';

type Entry = Record<string, unknown> & { action: string; actor: string };

describe('portal: the audit list', () => {
  everyTestAttacks('audit');
  let portal: TestPortal;
  let owner: Person;
  let page: Page;
  let client: pg.Client;
  before(async () => {
    portal = await startTestPortal();
    for (const tenantId of ['acme', 'other']) {
      await portal.call('POST', '/api/tenants', { name: tenantId, tenantId });
    }
    owner = await signUp(portal, { email: 'owner@example.com', tenantId: 'acme', role: 'owner' });
    page = await signIn(portal, owner);
    client = new pg.Client({ connectionString: portal.postgresUrl });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await portal.stop();
  });
  afterEach(() => portal.clock.run());

  const entries = async (query = '', tenant = 'acme'): Promise<Entry[]> => {
    const path = tenant === '' ? '/api/audit' : `/api/tenants/${tenant}/audit`;
    const { status, body } = await portal.call('GET', `${path}?limit=200${query}`);
    expect(status).to.equal(200);
    return body['entries'] as Entry[];
  };
  const made = async (work: () => Promise<unknown>, tenant = 'acme'): Promise<Entry[]> => {
    const known = new Set((await entries('', tenant)).map(({ entryId }) => entryId));
    await work();
    return (await entries('', tenant)).filter(({ entryId }) => !known.has(entryId));
  };

  it('has one entry of each change: who, what, from where, before and after', async () => {
    const change = () =>
      ask(portal, 'PUT', '/api/tenants/acme/attribution-mode', {
        headers: { ...page.headers, 'x-forwarded-for': '192.0.2.7' },
        body: { attributionMode: 'first-code' },
      });
    const [entry, ...more] = await made(change);
    expect(more).to.deep.equal([]);
    expect(entry).to.deep.include({
      actor: `account:${owner.accountId}`,
      action: 'setAttributionMode',
      tenantId: 'acme',
      status: 200,
      outcome: 'done',
      target: {},
      asked: { attributionMode: 'first-code' },
      before: 'event-code',
      after: 'first-code',
      address: '192.0.2.7',
    });
    expect(entry?.['requestId']).to.match(/^[\w.:-]{8,}$/);
  });

  it('says which one, and of what was refused too', async () => {
    const analyst = await signUp(portal, {
      email: 'analyst@example.com',
      tenantId: 'acme',
      role: 'analyst',
    });
    const theirs = await signIn(portal, analyst);
    for (const [work, expected] of [
      [
        () => page.call('DELETE', '/api/tenants/acme/access-keys/none'),
        { action: 'revokeAccessKey', status: 404, target: { accessKeyId: 'none' } },
      ],
      [
        () => page.call('PUT', '/api/tenants/acme/legacy-repeat-hours', { hours: 1 }),
        { action: 'setLegacyRepeatHours', status: 422, asked: { hours: 'undeclared' } },
      ],
      [
        () => theirs.call('POST', '/api/tenants/acme/product-secret'),
        { action: 'rotateProductSecret', status: 403, actor: `account:${analyst.accountId}` },
      ],
    ] as const) {
      const found = await made(work);
      expect(found).to.have.length(1);
      expect(found[0]).to.deep.include({ outcome: 'refused', ...expected });
    }
  });

  it('keeps secrets as changed and persons as personal, in whatever text', async () => {
    const found = await made(async () => {
      const url = 'https://hooks.example/';
      const webhook = { url, username: 'u', password: 'canary-of-a-password' };
      await page.call('PUT', '/api/tenants/acme/webhook', webhook);
      const erased = { userId: 'canary-of-a-user' };
      await page.call('POST', '/api/tenants/acme/people/erase', erased);
      const email = 'canary-of-an-email@example.com';
      await page.call('POST', '/api/tenants/acme/people/invitations', { email, role: 'analyst' });
      const misspelt = { url, passwort: 'canary-of-a-password' };
      await page.call('PUT', '/api/tenants/acme/webhook', misspelt);
      await page.call('PUT', '/api/tenants/acme/webhook', 'canary-of-a-password');
      const strange = { reason: 'half \ud800 and \0 nothing' };
      await page.call('POST', '/api/tenants/acme/webhook/pause', strange);
    });
    expect(found.map(({ action, status, asked }) => [action, status, asked])).to.deep.equal([
      ['pauseWebhook', 422, { reason: 'half \ufffd and \ufffd nothing' }],
      ['setWebhook', 422, 'undeclared'],
      ['setWebhook', 422, { url: 'https://hooks.example/', passwort: 'undeclared' }],
      ['invitePerson', 201, { email: 'personal', role: 'analyst' }],
      ['erasePerson', 200, { userId: 'personal' }],
      ['setWebhook', 200, { url: 'https://hooks.example/', username: 'u', password: 'changed' }],
    ]);
    const { rows } = await client.query<{ text: string }>(
      `select string_agg(to_jsonb(e)::text, '') as text from portal.audit_entry e`,
    );
    for (const canary of ['canary-of', password, owner.email, 'tributary-session']) {
      expect(rows[0]?.text).not.to.contain(canary);
    }
  });

  it('has what personal was looked at, and nothing of other looks', async () => {
    const found = await made(async () => {
      await page.call('GET', '/api/tenants/acme');
      await page.call('GET', '/api/tenants/acme/people');
      await page.call('GET', '/api/tenants/acme/webhook');
    });
    expect(found.map(({ action, asked }) => [action, asked])).to.deep.equal([['listPeople', null]]);
  });

  it('has sign-ins under who it turned out to be, and wrong passwords as nobody’s', async () => {
    const found = await made(async () => {
      await signIn(portal, owner);
      const body = { email: owner.email, password: 'wrong wrong wrong' };
      await ask(portal, 'POST', '/api/session', { body });
      await ask(portal, 'POST', '/api/session', { body: { email: 'x' } });
      await ask(portal, 'POST', '/api/invitation', {
        body: { invitation: 'none', name: 'n', password },
      });
    }, '');
    expect(found.map(({ action, actor, status }) => [action, actor, status])).to.deep.equal([
      ['signIn', 'nobody', 401],
      ['signIn', `account:${owner.accountId}`, 200],
    ]);
  });

  it('shows a tenant what was done in it, and nothing of others', async () => {
    const foreign = await made(() => page.call('POST', '/api/tenants/other/product-secret'));
    expect(foreign).to.deep.equal([]);
    expect(await entries('&action=rotateProductSecret', 'other')).to.deep.equal([]);
    const [tried] = await entries('&action=rotateProductSecret', '');
    expect(tried).to.deep.include({ tenantId: null, status: 404, target: { tenantId: 'other' } });
    const all = await entries();
    expect(new Set(all.map(({ tenantId }) => tenantId))).to.deep.equal(new Set(['acme']));
  });

  describe('names those who acted', () => {
    const who = ({ actorKind, actorName, actorEmail }: Entry) => [actorKind, actorName, actorEmail];
    const mode = { attributionMode: 'event-code' };
    const path = '/api/tenants/acme/attribution-mode';
    /** The entry of what they do, as the people of the tenant see it, and as operators do. */
    const seen = async (act: () => Promise<unknown>) => {
      const [made1] = await made(act);
      const { body } = await page.call('GET', '/api/tenants/acme/audit?limit=200');
      const theirs = (body['entries'] as Entry[]).find(
        (each) => each['entryId'] === made1?.['entryId'],
      );
      return { own: who(theirs!), operators: who(made1!) };
    };

    it('by the name and e-mail of the tenant’s people, and of nobody else to them', async () => {
      const own = await seen(() => page.call('PUT', path, mode));
      expect(own.own).to.deep.equal(['member', 'A person', owner.email]);
      const operator = await signUp(portal, { email: 'runs-it@example.com' });
      const theirs = await signIn(portal, operator);
      const done = await seen(() => theirs.call('PUT', path, mode));
      expect(done.own).to.deep.equal(['operator', null, null]);
      expect(done.operators).to.deep.equal(['operator', 'A person', operator.email]);
    });

    it('by the names of tokens, and by kind where there is no name', async () => {
      const of = (token: unknown) => bearer(String(token));
      const make = async (at: string, body: object) =>
        (await portal.call('POST', at, body)).body['token'];
      const ci = await make('/api/tenants/acme/tokens', { name: 'ci', role: 'admin' });
      const all = await make('/api/tokens', { name: 'all tenants' });
      const by = (headers: Record<string, string>) =>
        seen(() => ask(portal, 'PUT', path, { headers, body: mode }));
      expect(await by({ ...of(ci) })).to.deep.equal({
        own: ['token', 'ci', null],
        operators: ['token', 'ci', null],
      });
      expect(await by({ ...of(all) })).to.deep.equal({
        own: ['deployment-token', null, null],
        operators: ['deployment-token', 'all tenants', null],
      });
      expect((await by({ ...bearer(operatorToken) })).own).to.deep.equal([
        ...['configured-token', null, null],
      ]);
    });

    it('without the name of somebody who has left or was forgotten, and keeps the id', async () => {
      const both = { email: 'both@example.com', tenantId: 'acme', role: 'admin' } as const;
      const leaving = await signUp(portal, both);
      await signUp(portal, { ...both, tenantId: 'other' });
      const theirs = await signIn(portal, leaving);
      const find = async (of: string): Promise<Entry> => {
        const list = of === 'own' ? page.call.bind(page) : portal.call.bind(portal);
        const filter = `?actor=account:${leaving.accountId}&action=setAttributionMode`;
        const { body } = await list('GET', `/api/tenants/acme/audit${filter}`);
        return (body['entries'] as Entry[])[0]!;
      };
      await theirs.call('PUT', path, mode);
      expect(who(await find('own'))).to.deep.equal(['member', 'A person', leaving.email]);
      await portal.call('DELETE', `/api/tenants/acme/people/${leaving.accountId}`);
      expect(who(await find('own'))).to.deep.equal(['former', null, null]);
      expect(who(await find('all'))).to.deep.equal(['former', 'A person', leaving.email]);
      await portal.call('DELETE', `/api/tenants/other/people/${leaving.accountId}`);
      expect(who(await find('all'))).to.deep.equal(['former', null, null]);
      expect((await find('own')).actor).to.equal(`account:${leaving.accountId}`);
    });

    it('one by one for every reader, with the e-mail address for administrators only', async () => {
      const analyst = await signUp(portal, {
        ...({ email: 'reads@example.com', tenantId: 'acme', role: 'analyst' } as const),
      });
      const theirs = await signIn(portal, analyst);
      const elsewhere = await signUp(portal, {
        ...({ email: 'elsewhere@example.com', tenantId: 'other', role: 'owner' } as const),
      });
      const shown = async (by: Pick<Page, 'call'>, actor: string) => {
        const at = `/api/tenants/acme/actors/${encodeURIComponent(actor)}`;
        const { status, body } = await by.call('GET', at);
        return status === 200 ? who(body as Entry) : status;
      };
      const ownerId = `account:${owner.accountId}`;
      expect(await shown(theirs, ownerId)).to.deep.equal(['member', 'A person', null]);
      expect(await shown(page, ownerId)).to.deep.equal(['member', 'A person', owner.email]);
      const stranger = `account:${elsewhere.accountId}`;
      expect(await shown(page, stranger)).to.deep.equal(['former', null, null]);
      expect(await shown(portal, stranger)).to.deep.equal([
        ...['former', 'A person', elsewhere.email],
      ]);
      expect(await shown(theirs, 'operator')).to.deep.equal(['configured-token', null, null]);
      expect(await shown(theirs, 'nobody')).to.deep.equal(['nobody', null, null]);
      for (const none of ['alice', 'account:1', 'token:', `account:${owner.accountId}'`]) {
        expect(await shown(theirs, none), none).to.equal(404);
      }
    });

    it('in CSV beside the id, and never on the record that is kept', async () => {
      const response = await fetch(`${portal.baseUrl}/api/tenants/acme/audit?format=csv`, {
        headers: page.headers,
      });
      const lines = (await response.text()).split('\r\n');
      expect(lines[0]).to.contain('actor,actorKind,actorName,actorEmail,action');
      const line = `account:${owner.accountId},member,A person,${owner.email},setAttributionMode`;
      expect(lines.join('\n')).to.contain(line);
      const { rows } = await client.query<{ text: string }>(
        `select string_agg(to_jsonb(e)::text, '') as text from portal.audit_entry e`,
      );
      expect(rows[0]?.text).not.to.contain('A person');
    });
  });

  it('is filtered, and given in pages', async () => {
    const actor = `account:${owner.accountId}`;
    const own = await entries(`&actor=${actor}&action=setAttributionMode`);
    expect(own).to.have.length(1);
    const { at } = own[0] as unknown as { at: string };
    expect(await entries(`&since=${at}`)).to.deep.include(own[0]);
    expect(await entries(`&until=${at}`)).not.to.deep.include(own[0]);
    const whole = await entries('', '');
    const paged: Entry[] = [];
    let cursor = '';
    do {
      const { body } = await portal.call('GET', `/api/audit?limit=3${cursor}`);
      paged.push(...(body['entries'] as Entry[]));
      const next = body['nextCursor'] as string | null;
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    expect(paged).to.deep.equal(whole);
    const strange = Buffer.from(JSON.stringify(['x', 'y'])).toString('base64url');
    expect((await portal.call('GET', `/api/audit?cursor=${strange}`)).status).to.equal(422);
  });

  it('has what a process began and did not end, once, as unknown', async () => {
    const entry = {
      ...{ actor: 'account:x', action: 'putCampaign', tenantId: 'acme', requestId: null },
      ...{ target: { campaignId: 'c' }, address: '192.0.2.8' },
    };
    await client.query(
      `insert into portal.audit_open values (gen_random_uuid(), now() - interval '3 minutes', $1)`,
      [JSON.stringify(entry)],
    );
    for (const _time of [1, 2]) {
      const found = await entries('&action=putCampaign');
      expect(found).to.have.length(1);
      expect(found[0]).to.deep.include({ ...entry, outcome: 'unknown', status: null, after: null });
    }
  });

  it('has whose facts were explained, and the user as personal', async () => {
    const found = async (path: string) => (await made(() => page.call('GET', path)))[0];
    const entry = await found('/api/tenants/acme/explain?user=canary-of-a-user');
    const status = (await page.call('GET', '/api/tenants/acme/explain?user=nobody')).status;
    if (status === 404) expect(entry).to.equal(undefined);
    else expect(entry).to.deep.include({ action: 'explain', target: { userId: 'personal' } });
  });

  describe('when something fails after a change', () => {
    const route = peopleRoutes.createDeploymentToken;
    const asking = (caller: Caller) => ({
      ...{ params: {}, search: '', requestId: `r-${randomUUID()}`, caller },
      ...{ from: { address: '192.0.2.9', network: '192.0.2.9', userAgent: '' } },
      stillAdmitted: () => Promise.resolve(caller),
      signOn: undefined,
      remainsAdmitted: () => Promise.resolve(caller),
      json: () => Promise.resolve({}),
      optionalJson: () => Promise.resolve({}),
    });
    let pool: pg.Pool;
    before(() => {
      const settings = { url: portal.postgresUrl, schema: 'portal', poolSize: 2 };
      pool = createPool(settings, { applicationName: 'spec', logger: silentLogger });
    });
    after(() => pool.end());
    const answered = (
      request: ReturnType<typeof asking>,
      handle: ServedRoute['handle'],
      look: ServedRoute['handle'],
    ) => {
      const validate = () => Promise.resolve(request.caller);
      const find = (looked: AdminRoute) => ({ route: looked, validate, handle: look });
      const office = { pool, clock: portal.clock, auditTopic: null };
      const audited = createAudited({ office, logger: silentLogger, find });
      return audited({ route, validate, handle }, request, () => undefined);
    };
    const outcomes = async ({ requestId }: { requestId: string }) => {
      const { rows } = await client.query<{ outcome: string }>(
        `select outcome from portal.audit_entry where request_id = $1
         union all select 'open' from portal.audit_open where entry ->> 'requestId' = $1`,
        [requestId],
      );
      return rows.map(({ outcome }) => outcome);
    };
    const token = { status: 201, body: { token: 'shown once' } };
    const tokens = { status: 200, body: { tokens: [] } };

    it('answers what is shown once, whatever cannot be looked at', async () => {
      let looks = 0;
      const look = () =>
        (looks += 1) === 1 ? Promise.resolve(tokens) : Promise.reject(new Error('gone'));
      const request = asking(bootstrap);
      expect(await answered(request, () => Promise.resolve(token), look)).to.equal(token);
      expect(await outcomes(request)).to.deep.equal(['done']);
    });

    it('answers what is shown once, and keeps the note that cannot be closed', async () => {
      const request = asking(bootstrap);
      await client.query(
        `alter table portal.audit_entry add constraint spec check (request_id <> '${request.requestId}')`,
      );
      const look = () => Promise.resolve(tokens);
      expect(await answered(request, () => Promise.resolve(token), look)).to.equal(token);
      expect(await outcomes(request)).to.deep.equal(['open']);
      await client.query('alter table portal.audit_entry drop constraint spec');
      await client.query(
        `delete from portal.audit_open where entry ->> 'requestId' = '${request.requestId}'`,
      );
    });

    it('keeps what nobody began and what then broke, and no refusal of it', async () => {
      for (const [error, expected] of [
        [new Error('the database is gone'), ['failed']],
        [new Refusal('UNAUTHORIZED'), ['refused']],
        [new Refusal('NOT_FOUND'), []],
        [new ClientGone(), []],
      ] as const) {
        const request = asking(nobody);
        const look = () => Promise.resolve(tokens);
        const failing = answered(request, () => Promise.reject(error), look);
        expect(await failing.catch((reason: unknown) => reason)).to.equal(error);
        expect(await outcomes(request)).to.deep.equal(expected);
      }
    });
  });

  it('can be added to only', async () => {
    for (const statement of [
      'update portal.audit_entry set actor = null',
      'delete from portal.audit_entry',
      'truncate portal.audit_entry',
    ]) {
      const error = await client.query(statement).catch((reason: unknown) => reason);
      expect(String(error)).to.contain('the audit list is only ever added to');
    }
  });

  it('has one entry of each of many changes at once, whoever asks', async () => {
    const found = await made(async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          ask(portal, 'PUT', '/api/tenants/acme/legacy-repeat-hours', {
            headers: n % 2 === 0 ? page.headers : bearer(operatorToken),
            body: { legacyRepeatHours: n + 1 },
          }),
        ),
      );
    });
    expect(found).to.have.length(20);
    const { rows } = await client.query('select 1 from portal.audit_open');
    expect(rows).to.deep.equal([]);
    const asked = found.map((entry) => JSON.stringify(entry['asked']));
    expect(new Set(asked).size).to.equal(20);
    expect(found.filter(({ actor }) => actor === 'operator')).to.have.length(10);
  });

  it('is on no topic where that is not set', async () => {
    expect(await entries()).not.to.deep.equal([]);
    expect(await portal.textsOf('audit')).to.deep.equal([]);
  });
});

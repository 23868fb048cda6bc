import { attackMade } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { hash } from '@node-rs/argon2';
import { expect } from 'chai';
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { TOTP, Secret } from 'otpauth';
import pg from 'pg';
import { ask, bearer, pageOf, password, signIn, signUp } from '../testing/people.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe('portal: accounts', () => {
  let portal: TestPortal;
  let number = 0;
  before(async () => {
    portal = await startTestPortal();
    for (const tenantId of ['acme', 'other']) {
      await portal.call('POST', '/api/tenants', { name: tenantId, tenantId });
      await portal.call('PUT', `/api/tenants/${tenantId}/webhook`, { url: 'https://a.example/' });
    }
  });
  after(() => portal.stop());
  afterEach(() => portal.clock.run());

  const email = () => `person${++number}@example.com`;
  const member = (role: 'owner' | 'admin' | 'developer' | 'reviewer' | 'analyst' = 'owner') =>
    signUp(portal, { email: email(), tenantId: 'acme', role });
  const later = (ms: number) => portal.clock.set(new Date(Date.now() + ms).toISOString());
  const trySignIn = (body: object, headers: Record<string, string> = {}) =>
    ask(portal, 'POST', '/api/session', { body, headers });

  /** What is asked while somebody else changes the account: it waits until that is done. */
  async function meanwhile<T>(
    accountId: string,
    asking: () => Promise<T>,
    change: string,
    values: readonly unknown[] = [],
  ): Promise<T> {
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from portal.account where account_id = $1 for update', [
        accountId,
      ]);
      const answer = asking();
      await eventually(async () => {
        const { rowCount } = await client.query(
          `select 1 from pg_stat_activity
           where wait_event_type = 'Lock' and datname = current_database()`,
        );
        if (rowCount === 0) throw new Error('nobody waits');
      });
      await client.query(`update portal.account set ${change} where account_id = $1`, [
        accountId,
        ...values,
      ]);
      await client.query('commit');
      return await answer;
    } finally {
      await client.end();
    }
  }
  async function valueOf(sql: string, values: readonly unknown[]): Promise<unknown> {
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    const { rows } = await client.query<{ value: unknown }>(sql, [...values]);
    await client.end();
    return rows[0]?.value;
  }

  describe('sign-in', () => {
    it('does not outlive a password or a second factor that was changed meanwhile', async () => {
      for (const change of [`password_hash = 'another'`, 'totp_since = now()']) {
        const { accountId, email: who } = await member();
        const asking = () => trySignIn({ email: who, password });
        expect((await meanwhile(accountId, asking, change)).status, change).to.equal(401);
        const sessions =
          'select count(*)::int as value from portal.account_session where account_id = $1';
        expect(await valueOf(sessions, [accountId])).to.equal(0);
      }
    });

    it('does not bring back a password when it costs more today', async () => {
      const { accountId, email: who } = await member();
      const cheap = await hash(password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
      const store = 'update portal.account set password_hash = $2 where account_id = $1';
      await valueOf(store, [accountId, cheap]);
      const asking = () => trySignIn({ email: who, password });
      const another = await hash('another horse battery', { timeCost: 2, parallelism: 1 });
      const answer = await meanwhile(accountId, asking, 'password_hash = $2', [another]);
      expect(answer.status).to.equal(401);
      const stored = 'select password_hash as value from portal.account where account_id = $1';
      expect(await valueOf(stored, [accountId])).to.equal(another);
      await valueOf(store, [accountId, cheap]);
      expect((await trySignIn({ email: who, password })).status).to.equal(200);
      expect(await valueOf(stored, [accountId])).to.match(/m=19456,t=2/);
    });

    it('counts a network of IPv6 as one address', async () => {
      const person = await member();
      const from = (n: number) => ({ 'x-forwarded-for': `2001:db8:1:2::${n.toString(16)}` });
      for (let n = 0; n < 50; n += 1) {
        const wrong = { email: `six${n}@example.com`, password: 'wrong wrong wrong' };
        expect((await trySignIn(wrong, from(n))).status).to.equal(401);
      }
      const right = { email: person.email, password };
      expect((await trySignIn(right, from(999))).status).to.equal(429);
      const other = { 'x-forwarded-for': '2001:db8:1:3::1' };
      expect((await trySignIn(right, other)).status).to.equal(200);
    });

    it('counts no question for a code, and forgets wrong codes by a code only', async () => {
      const person = await member();
      const page = await signIn(portal, person);
      const started = await page.call('POST', '/api/account/second-factor');
      const totp = new TOTP({ secret: Secret.fromBase32(String(started.body['secret'])) });
      const code = totp.generate();
      await page.call('POST', '/api/account/second-factor/confirm', { code });
      const from = { 'x-forwarded-for': '192.0.2.66' };
      for (let n = 0; n < 3; n += 1) {
        const asked = await trySignIn({ email: person.email, password }, from);
        expect(asked.body.errors?.[0]?.pointer).to.equal('/code');
      }
      for (let n = 0; n < 49; n += 1) {
        const wrong = { email: `code${n}@example.com`, password: 'wrong wrong wrong' };
        expect((await trySignIn(wrong, from)).status).to.equal(401);
      }
      const last = { email: 'code-last@example.com', password: 'wrong wrong wrong' };
      expect((await trySignIn(last, from)).status).to.equal(401);
      expect((await trySignIn(last, from)).status).to.equal(429);
      const headers = { ...page.headers, 'x-forwarded-for': '192.0.2.67' };
      const own = (method: string, path: string, body: object) =>
        ask(portal, method, path, { headers, body });
      const guess = () => own('POST', '/api/session/confirm', { password, code: 'no-such-code' });
      for (let n = 0; n < 10; n += 1) {
        expect((await guess()).status).to.equal(401);
        const changing = { password, newPassword: password };
        const changed = await own('PUT', '/api/account/password', changing);
        expect(changed.status).to.be.oneOf(n === 9 ? [200, 429] : [200]);
      }
      expect((await guess()).status).to.equal(429);
    });

    it('sets a cookie that no script reads and no other site sends', async () => {
      const person = await member();
      const { headers, body } = await trySignIn({ email: person.email, password });
      expect(headers.get('set-cookie')).to.match(
        /^__Host-tributary-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=604800$/,
      );
      expect(body).to.deep.include({ accountId: person.accountId, isOperator: false });
      expect(body['memberships']).to.deep.equal([{ tenantId: 'acme', role: 'owner' }]);
    });

    it('says the same of a wrong password and of no account, after the same work', async () => {
      const person = await member();
      const wrong = (who: string) => trySignIn({ email: who, password: 'wrong wrong wrong' });
      const bodies = new Set<string>();
      const hashes = countNativeWork();
      for (const who of [person.email, 'nobody@example.com']) {
        await wrong(who);
        const before = hashes.count();
        const answer = await wrong(who);
        expect(hashes.count() - before, who).to.equal(1);
        const { instance: _i, ...body } = answer.body;
        bodies.add(JSON.stringify([answer.status, body]));
      }
      hashes.stop();
      expect([...bodies]).to.have.length(1);
      expect([...bodies][0]).to.match(/^\[401,.*"code":"UNAUTHORIZED"/);
    });

    it('waits after ten wrong passwords, known account or not, also for the right one', async () => {
      const from = { 'x-forwarded-for': '192.0.2.1' };
      const person = await member();
      for (const who of [person.email, 'nobody-else@example.com']) {
        for (let n = 0; n < 10; n += 1) {
          const wrong = await trySignIn({ email: who, password: 'wrong wrong wrong' }, from);
          expect(wrong.status).to.equal(401);
        }
        const over = await trySignIn({ email: who, password }, from);
        expect([over.status, over.body.code]).to.deep.equal([429, 'TOO_MANY_REQUESTS']);
        expect(Number(over.headers.get('retry-after'))).to.be.within(800, 900);
      }
      later(16 * minuteMs);
      expect((await trySignIn({ email: person.email, password }, from)).status).to.equal(200);
    });

    it('counts what many try at once', async () => {
      const from = { 'x-forwarded-for': '192.0.2.2' };
      const person = await member();
      const tries = Array.from({ length: 25 }, () =>
        trySignIn({ email: person.email, password: 'wrong wrong wrong' }, from),
      );
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).to.have.length(10);
    });

    it('waits after fifty from one address, and not for another one', async () => {
      const from = { 'x-forwarded-for': '192.0.2.3' };
      const person = await member();
      for (let n = 0; n < 50; n += 1) {
        const wrong = { email: `guess${n}@example.com`, password: 'wrong wrong wrong' };
        expect((await trySignIn(wrong, from)).status).to.equal(401);
      }
      const right = { email: person.email, password };
      expect((await trySignIn(right, from)).status).to.equal(429);
      const other = await trySignIn(right, { 'x-forwarded-for': '192.0.2.4' });
      expect(other.status).to.equal(200);
    });

    it('is not for pages of other sites', async () => {
      const { email: who } = await member();
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: portal.baseUrl, 'sec-fetch-site': 'cross-site' },
        { origin: 'null' },
      ]) {
        expect((await trySignIn({ email: who, password }, headers)).status).to.equal(403);
      }
    });
  });

  describe('sessions', () => {
    const isOpen = async (page: { headers: Readonly<Record<string, string>> }) =>
      (await ask(portal, 'GET', '/api/session', { headers: page.headers })).status === 200;

    it('end after 12 hours without a request, and after 7 days', async () => {
      const page = await signIn(portal, await member());
      for (let hours = 11; hours < 7 * 24; hours += 11) {
        later(hours * hourMs);
        expect(await isOpen(page), `${hours} h`).to.equal(true);
      }
      later(7 * 24 * hourMs + minuteMs);
      expect(await isOpen(page)).to.equal(false);
      portal.clock.run();
      const idle = await signIn(portal, await member());
      later(12 * hourMs + minuteMs);
      expect(await isOpen(idle)).to.equal(false);
    });

    it('are listed, and ended one by one or all together', async () => {
      const person = await member();
      const [first, second, third] = [
        await signIn(portal, person),
        await signIn(portal, person),
        await signIn(portal, person),
      ];
      const { body } = await first.call('GET', '/api/sessions');
      const sessions = body['sessions'] as { sessionId: string; isThis: boolean }[];
      expect(sessions).to.have.length(3);
      const { sessionId } = (await second.call('GET', '/api/session')).body;
      expect(sessions.filter(({ isThis }) => isThis)).to.have.length(1);
      await first.call('DELETE', `/api/sessions/${String(sessionId)}`);
      expect([await isOpen(first), await isOpen(second)]).to.deep.equal([true, false]);
      const stranger = await signIn(portal, await member());
      const { sessionId: own } = (await first.call('GET', '/api/session')).body;
      const foreign = await stranger.call('DELETE', `/api/sessions/${String(own)}`);
      expect([foreign.status, await isOpen(first)]).to.deep.equal([404, true]);
      const ended = await third.call('DELETE', '/api/sessions');
      expect(ended.headers.get('set-cookie')).to.contain('Max-Age=0');
      expect([await isOpen(first), await isOpen(third)]).to.deep.equal([false, false]);
    });

    it('end when somebody signs out, changes the password, or is removed', async () => {
      const person = await member('analyst');
      const [first, second] = [await signIn(portal, person), await signIn(portal, person)];
      const changing = { password, newPassword: 'another horse battery' };
      const wrong = await first.call('PUT', '/api/account/password', {
        ...changing,
        password: 'wrong wrong wrong',
      });
      expect(wrong.status).to.equal(401);
      expect((await first.call('PUT', '/api/account/password', changing)).status).to.equal(200);
      expect([await isOpen(first), await isOpen(second)]).to.deep.equal([true, false]);
      expect((await trySignIn({ email: person.email, password })).status).to.equal(401);
      await first.call('DELETE', '/api/session');
      expect(await isOpen(first)).to.equal(false);
      const third = await signIn(portal, { ...person, password: changing.newPassword });
      await portal.call('DELETE', `/api/tenants/acme/people/${person.accountId}`);
      expect(await isOpen(third)).to.equal(false);
    });
  });

  describe('a change with a cookie', () => {
    const changes = [
      ['POST', '/api/tenants/acme/webhook/pause', { reason: 'a test' }],
      ['DELETE', '/api/tenants/acme/domains/shop.example', undefined],
      ['POST', '/api/tenants/acme/webhook/rotate', undefined],
    ] as const;

    it('comes from a page of this host that knows the token, with a body or without', async () => {
      const { headers } = await signIn(portal, await member());
      const { cookie = '', origin = '', 'x-csrf-token': token = '' } = headers;
      let made = 0;
      for (const [method, path, body] of changes) {
        for (const sent of [
          { cookie },
          { cookie, origin },
          { cookie, 'x-csrf-token': token },
          { cookie, origin, 'x-csrf-token': `${token}x` },
          { cookie, origin: 'https://evil.example', 'x-csrf-token': token },
          { cookie, origin: 'null', 'x-csrf-token': token },
          { cookie, origin, 'sec-fetch-site': 'cross-site', 'x-csrf-token': token },
          { cookie, origin, 'sec-fetch-site': 'same-site', 'x-csrf-token': token },
          { cookie, origin, 'sec-fetch-site': 'none', 'x-csrf-token': token },
        ]) {
          const answer = await ask(portal, method, path, { headers: sent, body });
          expect([answer.status, answer.body.code], JSON.stringify(sent)).to.deep.equal([
            403,
            'FORBIDDEN',
          ]);
          attackMade('csrf', `${method} ${path} with ${JSON.stringify(Object.keys(sent))}`);
          made += 1;
        }
        const own = { cookie, 'sec-fetch-site': 'same-origin', 'x-csrf-token': token };
        const taken = await ask(portal, method, path, { headers: own, body });
        expect(taken.status, path).to.be.oneOf([200, 404]);
      }
      expect(made).to.equal(changes.length * 9);
    });

    it('is not what a second cookie of the name says', async () => {
      const { headers } = await signIn(portal, await member());
      const cookie = `${headers['cookie']}; ${headers['cookie']}`;
      expect((await ask(portal, 'GET', '/api/session', { headers: { cookie } })).status).to.equal(
        401,
      );
    });
  });

  it('asks for the password again where much depends on it, after ten minutes', async () => {
    const page = await signIn(portal, await member());
    const rotate = () => page.call('POST', '/api/tenants/acme/product-secret');
    expect((await rotate()).status).to.equal(201);
    later(11 * minuteMs);
    const refused = await rotate();
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'CONFIRMATION_REQUIRED']);
    const wrong = await page.call('POST', '/api/session/confirm', { password: 'wrong wrong' });
    expect(wrong.status).to.equal(401);
    expect((await page.call('POST', '/api/session/confirm', { password })).status).to.equal(200);
    expect((await rotate()).status).to.equal(201);
  });

  it('takes a code of the second factor once, and each recovery code once', async () => {
    const person = await member();
    const page = await signIn(portal, person);
    const started = await page.call('POST', '/api/account/second-factor');
    const totp = new TOTP({ secret: Secret.fromBase32(String(started.body['secret'])) });
    const at = Date.now();
    const code = (steps: number) => totp.generate({ timestamp: at + steps * 30_000 });
    portal.clock.set(new Date(at).toISOString());
    const enabled = await page.call('POST', '/api/account/second-factor/confirm', {
      code: code(0),
    });
    const recoveryCodes = enabled.body['recoveryCodes'] as string[];
    expect(recoveryCodes).to.have.length(10);

    const withCode = (given?: string) =>
      trySignIn({ email: person.email, password, ...(given && { code: given }) });
    const without = await withCode();
    expect([without.status, without.body.errors?.[0]?.pointer]).to.deep.equal([401, '/code']);
    expect((await withCode(code(0))).status, 'the code that enabled it').to.equal(401);
    expect((await withCode(code(1))).status).to.equal(200);
    expect((await withCode(code(1))).status, 'the same again').to.equal(401);
    expect((await withCode(code(-1))).status, 'an earlier one').to.equal(401);
    expect((await withCode(recoveryCodes[0])).status).to.equal(200);
    expect((await withCode(recoveryCodes[0])).status, 'the same again').to.equal(401);
    const typed = recoveryCodes[1]!.toUpperCase().replace('-', ' ');
    const signedIn = await withCode(typed);
    expect([signedIn.status, signedIn.body['recoveryCodesLeft']]).to.deep.equal([200, 8]);
    const renewed = await pageOf(portal, signedIn).call('POST', '/api/account/recovery-codes');
    expect((await withCode(recoveryCodes[2])).status, 'replaced').to.equal(401);
    expect(renewed.body['recoveryCodes']).to.have.length(10);
    await page.call('DELETE', '/api/account/second-factor');
    expect((await withCode()).status).to.equal(200);
  });

  it('asks what somebody may do again when the body is here', async () => {
    for (const [change, expected] of [
      ['remove', 401],
      ['analyst', 403],
      ['admin', 403],
    ] as const) {
      const [person, other] = [await member('owner'), await member('analyst')];
      const page = await signIn(portal, person);
      const own = `/api/tenants/acme/people/${person.accountId}`;
      const body = JSON.stringify({ role: 'owner' });
      const sending = httpRequest(
        `${portal.baseUrl}/api/tenants/acme/people/${other.accountId}/role`,
        {
          method: 'PUT',
          headers: {
            ...page.headers,
            ...{ 'content-type': 'application/json', 'content-length': body.length },
          },
        },
      );
      sending.write(body.slice(0, 5));
      const noted = `select 1 as value from portal.audit_open where entry ->> 'actor' = $1`;
      await eventually(async () => {
        const found = await valueOf(noted, [`account:${person.accountId}`]);
        if (found === undefined) throw new Error('the request is not there');
      });
      if (change === 'remove') await portal.call('DELETE', own);
      else await portal.call('PUT', `${own}/role`, { role: change });
      const answered = once(sending, 'response') as Promise<
        [{ statusCode: number; resume(): void }]
      >;
      sending.end(body.slice(5));
      const [answer] = await answered;
      answer.resume();
      expect(answer.statusCode, change).to.equal(expected);
      const role = 'select role as value from portal.membership where account_id = $1';
      expect(await valueOf(role, [other.accountId])).to.equal('analyst');
    }
  });

  describe('people of a tenant', () => {
    it('always have an owner, also of two who remove each other at once', async () => {
      await portal.call('POST', '/api/tenants', { name: 'Two', tenantId: 'two' });
      const people = [];
      for (const who of [email(), email()]) {
        people.push(await signUp(portal, { email: who, tenantId: 'two', role: 'owner' }));
      }
      const removals = await Promise.all(
        people.map(({ accountId }) =>
          portal.call('DELETE', `/api/tenants/two/people/${accountId}`),
        ),
      );
      expect(removals.map(({ status }) => status)).to.have.members([200, 409]);
      const last = people[removals.findIndex(({ status }) => status === 409)]!;
      const page = await signIn(portal, last);
      const own = `/api/tenants/two/people/${last.accountId}`;
      expect((await page.call('DELETE', own)).status).to.equal(409);
      expect((await page.call('PUT', `${own}/role`, { role: 'admin' })).status).to.equal(409);
    });

    it('give no role above their own, and touch nobody above them', async () => {
      const [owner, admin] = [await member('owner'), await member('admin')];
      const page = await signIn(portal, admin);
      const people = '/api/tenants/acme/people';
      const body = { email: email(), role: 'owner' };
      expect((await page.call('POST', `${people}/invitations`, body)).status).to.equal(403);
      const token = { name: 'n', role: 'owner' };
      expect((await page.call('POST', '/api/tenants/acme/tokens', token)).status).to.equal(403);
      const of = (accountId: string) => `${people}/${accountId}`;
      expect((await page.call('DELETE', of(owner.accountId))).status).to.equal(403);
      const up = await page.call('PUT', `${of(admin.accountId)}/role`, { role: 'owner' });
      expect(up.status).to.equal(403);
      expect(
        (await page.call('PUT', `${of(admin.accountId)}/role`, { role: 'analyst' })).status,
      ).to.equal(200);
    });

    it('are forgotten when no role is left, and what they did keeps their id', async () => {
      const person = await signUp(portal, {
        email: 'canary-of-a-person@example.com',
        tenantId: 'acme',
        role: 'admin',
      });
      const page = await signIn(portal, person);
      await portal.call('POST', '/api/tenants/acme/webhook/resume', {});
      await page.call('POST', '/api/tenants/acme/webhook/pause', { reason: 'a test' });
      expect(await portal.dumpTables()).to.contain('canary-of-a-person');
      const removed = await portal.call('DELETE', `/api/tenants/acme/people/${person.accountId}`);
      expect(removed.body['forgotten']).to.equal(true);
      expect(await portal.dumpTables()).not.to.contain('canary-of-a-person');
      expect((await trySignIn({ email: person.email, password })).status).to.equal(401);
      const { body } = await portal.call('GET', '/api/tenants/acme');
      expect(body['webhook']).to.include({ changedBy: `account:${person.accountId}` });
    });
  });

  describe('an invitation', () => {
    const accept = (link: unknown, more: object = {}) =>
      ask(portal, 'POST', '/api/invitation', {
        body: { invitation: String(link).split('#')[1], name: 'A', password, ...more },
      });

    it('is taken once, within seven days', async () => {
      const path = '/api/tenants/acme/people/invitations';
      const [used, old, withdrawn] = await Promise.all(
        [1, 2, 3].map(() => portal.call('POST', path, { email: email(), role: 'analyst' })),
      );
      expect(String(used!.body['link'])).to.match(/^https:\/\/.*\/portal\/invitation#[\w-]{43}$/);
      expect((await accept(used!.body['link'])).status).to.equal(201);
      expect((await accept(used!.body['link'])).status).to.equal(404);
      await portal.call('DELETE', `${path}/${String(withdrawn!.body['invitationId'])}`);
      expect((await accept(withdrawn!.body['link'])).status).to.equal(404);
      expect((await accept('#nothing')).status).to.equal(404);
      later(7 * 24 * hourMs + minuteMs);
      expect((await accept(old!.body['link'])).status).to.equal(404);
    });

    it('does not outlive the right of whoever made it', async () => {
      const path = '/api/tenants/acme/people/invitations';
      for (const [role, end] of [
        ['removed', (of: string) => portal.call('DELETE', `/api/tenants/acme/people/${of}`)],
        [
          'admin',
          (of: string) =>
            portal.call('PUT', `/api/tenants/acme/people/${of}/role`, { role: 'analyst' }),
        ],
      ] as const) {
        const person = await member('owner');
        const page = await signIn(portal, person);
        const asked = { email: email(), role: 'analyst' };
        const { body } = await page.call('POST', path, asked);
        const { body: others } = await portal.call('POST', path, { ...asked, email: email() });
        await end(person.accountId);
        expect((await accept(body['link'])).status, role).to.equal(404);
        expect((await accept(others['link'])).status, role).to.equal(201);
      }
      const operator = await signUp(portal, { email: email() });
      const page = await signIn(portal, operator);
      const made = [
        await page.call('POST', '/api/operators/invitations', { email: email() }),
        await page.call('POST', path, { email: email(), role: 'owner' }),
      ];
      await portal.call('DELETE', `/api/operators/${operator.accountId}`);
      for (const { body } of made) expect((await accept(body['link'])).status).to.equal(404);
    });

    it('of an operator can be withdrawn, and none of a tenant by that', async () => {
      const path = '/api/operators/invitations';
      const { body } = await portal.call('POST', path, { email: email() });
      const { body: other } = await portal.call('POST', '/api/tenants/acme/people/invitations', {
        email: email(),
        role: 'analyst',
      });
      const withdraw = (id: unknown) => portal.call('DELETE', `${path}/${String(id)}`);
      expect((await withdraw(body['invitationId'])).body).to.include({ status: 'withdrawn' });
      expect((await withdraw(body['invitationId'])).status).to.equal(404);
      expect((await withdraw(other['invitationId'])).status).to.equal(404);
      expect((await withdraw('x')).status).to.equal(404);
      expect((await accept(body['link'])).status).to.equal(404);
      expect((await accept(other['link'])).status).to.equal(201);
    });

    it('is answered, however many try it at once with a wrong password', async () => {
      const person = await member('analyst');
      const { body } = await portal.call('POST', '/api/tenants/other/people/invitations', {
        email: person.email,
        role: 'reviewer',
      });
      const tries = Array.from({ length: 30 }, () =>
        ask(portal, 'POST', '/api/invitation', {
          headers: { 'x-forwarded-for': '192.0.2.68' },
          body: {
            ...{ invitation: String(body['link']).split('#')[1], name: 'A' },
            password: 'the thief has another',
          },
        }),
      );
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 409)).to.have.length(10);
      expect(statuses.filter((status) => status === 429)).to.have.length(20);
    });

    it('gives nothing to an account that is forgotten, or changed, meanwhile', async () => {
      const forgotten = `email = null, email_key = null, name = '', password_hash = null,
        forgotten_at = now()`;
      for (const [change, expected] of [
        [forgotten, 404],
        [`password_hash = 'another'`, 409],
      ] as const) {
        const { accountId, email: who } = await member('analyst');
        const { body } = await portal.call('POST', '/api/tenants/other/people/invitations', {
          email: who,
          role: 'reviewer',
        });
        const answer = await meanwhile(accountId, () => accept(body['link']), change);
        expect(answer.status).to.equal(expected);
        const roles = `select count(*)::int as value from portal.membership
          where account_id = $1 and tenant_id = 'other'`;
        expect(await valueOf(roles, [accountId])).to.equal(0);
      }
    });

    it('takes nothing from somebody who may more', async () => {
      const person = await member('owner');
      const path = '/api/tenants/acme/people/invitations';
      const asked = { email: person.email, role: 'analyst' };
      const { body } = await portal.call('POST', path, asked);
      expect((await accept(body['link'])).body).to.include({ role: 'owner' });
    });

    it('adds to the account with the e-mail for whoever knows its password only', async () => {
      const person = await member('analyst');
      const { body } = await portal.call('POST', '/api/tenants/other/people/invitations', {
        email: person.email.toUpperCase(),
        role: 'reviewer',
      });
      const stolen = await accept(body['link'], { password: 'the thief has another' });
      expect(stolen.status).to.equal(409);
      const taken = await accept(body['link']);
      expect([taken.status, taken.body['accountId']]).to.deep.equal([201, person.accountId]);
      const { body: session } = await (await signIn(portal, person)).call('GET', '/api/session');
      expect(session['memberships']).to.deep.equal([
        { tenantId: 'acme', role: 'analyst' },
        { tenantId: 'other', role: 'reviewer' },
      ]);
    });
  });

  describe('API tokens', () => {
    const make = async (tenantId: string, body: object) =>
      (await portal.call('POST', `/api/tenants/${tenantId}/tokens`, body)).body;

    it('open one tenant, as their role says, until they end or are revoked', async () => {
      const { token, tokenId } = await make('acme', { name: 'ci', role: 'developer', days: 30 });
      const headers = bearer(String(token));
      const status = async (path: string, method = 'GET') =>
        (await ask(portal, method, path, { headers })).status;
      expect(await status('/api/tenants/acme')).to.equal(200);
      expect(await status('/api/tenants/other')).to.equal(404);
      expect(await status('/api/tenants/acme/product-secret', 'POST')).to.equal(403);
      const { body } = await ask(portal, 'GET', '/api/tenants', { headers });
      expect((body['tenants'] as { tenantId: string }[]).map((one) => one.tenantId)).to.deep.equal([
        'acme',
      ]);
      later(31 * 24 * hourMs);
      expect(await status('/api/tenants/acme')).to.equal(401);
      portal.clock.run();
      const revoke = `/api/tenants/acme/tokens/${String(tokenId)}`;
      const foreign = await portal.call('DELETE', revoke.replace('acme', 'other'));
      expect([foreign.status, await status('/api/tenants/acme')]).to.deep.equal([404, 200]);
      expect((await portal.call('DELETE', revoke)).status).to.equal(200);
      expect(await status('/api/tenants/acme')).to.equal(401);
    });

    it('say when they were used last, to the minute', async () => {
      const { token, tokenId } = await make('acme', { name: 'used', role: 'analyst' });
      const lastUsedAt = async () => {
        const { body } = await portal.call('GET', '/api/tenants/acme/tokens');
        const tokens = body['tokens'] as { tokenId: string; lastUsedAt: string }[];
        return tokens.find((one) => one.tokenId === tokenId)?.lastUsedAt;
      };
      const use = () => ask(portal, 'GET', '/api/tenants/acme', { headers: bearer(String(token)) });
      expect(await lastUsedAt()).to.equal(null);
      const at = Date.now();
      for (const [ms, expected] of [
        [0, 0],
        [59_000, 0],
        [60_000, 60_000],
      ] as const) {
        portal.clock.set(new Date(at + ms).toISOString());
        await use();
        expect(await lastUsedAt()).to.equal(new Date(at + expected).toISOString());
      }
    });
  });

  describe('who acts', () => {
    const pause = '/api/tenants/acme/webhook/pause';
    const resume = '/api/tenants/acme/webhook/resume';
    beforeEach(() => portal.call('POST', resume, {}));

    it('is whoever asks, and no name in a body', async () => {
      const person = await member();
      const page = await signIn(portal, person);
      const named = await page.call('POST', pause, { by: 'ceo@customer.example', reason: 'r' });
      expect([named.status, named.body.errors?.[0]]).to.deep.equal([
        422,
        {
          pointer: '/by',
          code: 'UNKNOWN_FIELD',
          detail: 'must be omitted: the caller is recorded instead',
        },
      ]);
      const paused = await page.call('POST', pause, { reason: 'r' });
      expect(paused.body).to.include({ changedBy: `account:${person.accountId}` });
    });

    it('may be named with the token of the configuration, which is nobody’s', async () => {
      const named = await portal.call('POST', pause, { by: 'olga', reason: 'r' });
      expect(named.body).to.include({ changedBy: 'olga' });
      const unnamed = await portal.call('POST', resume, {});
      expect(unnamed.body).to.include({ changedBy: 'operator' });
    });

    it('is never somebody who has a name of their own', async () => {
      for (const by of ['account:0d3f', 'token:0d3f']) {
        const named = await portal.call('POST', pause, { by, reason: 'r' });
        expect([named.status, named.body.errors?.[0]?.pointer]).to.deep.equal([422, '/by']);
      }
    });
  });

  it('keeps nothing that opens a door, in any table', async () => {
    const person = await member();
    const page = await signIn(portal, person);
    const started = await page.call('POST', '/api/account/second-factor');
    const totp = new TOTP({ secret: Secret.fromBase32(String(started.body['secret'])) });
    const { body } = await page.call('POST', '/api/account/second-factor/confirm', {
      code: totp.generate(),
    });
    const token = await page.call('POST', '/api/tenants/acme/tokens', { name: 'n', role: 'admin' });
    const invited = await page.call('POST', '/api/tenants/acme/people/invitations', {
      email: email(),
      role: 'analyst',
    });
    const secrets = [
      password,
      String(page.headers['cookie']).split('=')[1]!,
      String(page.headers['x-csrf-token']),
      String(started.body['secret']),
      ...(body['recoveryCodes'] as string[]),
      String(token.body['token']),
      String(invited.body['link']).split('#')[1]!,
    ];
    const dump = await portal.dumpTables();
    expect(dump).to.contain(person.email);
    for (const secret of secrets) {
      expect(secret.length).to.be.above(10);
      expect(dump.includes(secret), secret).to.equal(false);
    }
  });
});

/** Work that a native module does beside JavaScript: in the portal, that is argon2 and no other. */
function countNativeWork() {
  let count = 0;
  // napi-rs gives its tasks no name.
  const hook = createHook({ init: (_id, type) => void (count += type === 'undefined' ? 1 : 0) });
  hook.enable();
  return { count: () => count, stop: () => void hook.disable() };
}

import { attackMade } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { freePort } from '@tributary/testkit/free-port';
import { expect } from 'chai';
import pg from 'pg';
import { type Json, type PasskeyPage, startPasskeyBrowser } from '../testing/passkey-page.ts';
import { ask, password, signUp } from '../testing/people.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: passkeys', () => {
  let portal: TestPortal;
  let browser: Awaited<ReturnType<typeof startPasskeyBrowser>>;
  let origin: string;
  let page: PasskeyPage;
  let number = 0;
  before(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    browser = await startPasskeyBrowser();
    portal = await startTestPortal({
      ...{ port, publicUrl: origin, insecureCookies: true },
      passkeys: { rpId: 'localhost', origins: [origin] },
    });
    await portal.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
  });
  beforeEach(async () => {
    page = await browser.openPage(origin);
    await page.plugIn();
  });
  afterEach(async () => {
    portal.clock.run();
    await page.close();
  });
  after(async () => {
    await browser.close();
    await portal.stop();
  });

  const newPerson = () => {
    const email = `passkey${++number}@example.com`;
    return signUp(portal, { email, tenantId: 'acme', role: 'owner' });
  };
  const signIn = async (email: string, more: Json = {}) =>
    page.call('POST', '/api/session', { email, password, ...more });
  const addPasskey = async (name: string) => {
    const { body } = await page.call('POST', '/api/account/passkeys/options');
    const passkey = await page.make(body['options']);
    return page.call('POST', '/api/account/passkeys', { name, passkey });
  };
  /** The answer of the authenticator to a fresh question. */
  const answered = async (change: (options: Json) => Json = (same) => same): Promise<Json> => {
    const { body } = await page.call('POST', '/api/session/passkey/options');
    return page.use(change(body['options'] as Json));
  };
  const useAlone = async (passkey: Json) => page.call('POST', '/api/session/passkey', { passkey });
  /** Somebody signed in, with one passkey on the device that is plugged in. */
  const withPasskey = async () => {
    const person = await newPerson();
    await signIn(person.email);
    const added = await addPasskey('laptop');
    expect(added.status).to.equal(201);
    return { ...person, passkey: added.body };
  };
  async function valueOf(sql: string, values: readonly unknown[] = []): Promise<unknown> {
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    const { rows } = await client.query<{ value: unknown }>(sql, [...values]);
    await client.end();
    return rows[0]?.value;
  }

  it('is not added by a session that ends while the account is waited for', async () => {
    const person = await newPerson();
    await signIn(person.email);
    const { body } = await page.call('POST', '/api/account/passkeys/options');
    const passkey = await page.make(body['options']);
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    await client.query('begin');
    const own = 'portal.account where account_id = $1';
    await client.query(`select 1 from ${own} for update`, [person.accountId]);
    const adding = page.call('POST', '/api/account/passkeys', { name: 'late', passkey });
    const waiting = `select count(*)::int as value from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(async () => expect(await valueOf(waiting)).to.equal(1));
    await client.query('delete from portal.account_session where account_id = $1', [
      person.accountId,
    ]);
    await client.query('commit');
    await client.end();
    expect((await adding).status).to.equal(409);
    expect(await valueOf(`select passkeys as value from ${own}`, [person.accountId])).to.equal(0);
    attackMade('tokens', 'a passkey of a session that was ended');
  });

  it('signs in alone, with no e-mail and no password', async () => {
    const person = await withPasskey();
    expect(person.passkey['recoveryCodes']).to.have.length(10);
    await page.call('DELETE', '/api/session');
    expect((await page.call('GET', '/api/session')).status).to.equal(401);
    const signedIn = await useAlone(await answered());
    expect(signedIn.status).to.equal(200);
    expect(signedIn.body).to.deep.include({ accountId: person.accountId, passkeys: 1 });
    expect((await page.call('GET', '/api/session')).body['email']).to.equal(person.email);
    const { body } = await page.call('GET', '/api/account/passkeys');
    expect(body['passkeys']).to.have.length(1);
    const [listed] = body['passkeys'] as Json[];
    expect(listed).to.include({ name: 'laptop', suspendedAt: null });
    expect(listed?.['lastUsedAt']).to.be.a('string');
  });

  it('is asked for beside a password, by which nobody signs in alone any more', async () => {
    const { email, passkey } = await withPasskey();
    const asked = await signIn(email);
    expect([asked.status, asked.body.errors?.map(({ pointer }) => pointer)]).to.deep.equal([
      401,
      ['/passkey'],
    ]);
    expect((await signIn(email, { passkey: await answered() })).status).to.equal(200);
    const [code] = passkey['recoveryCodes'] as string[];
    expect((await signIn(email, { code })).status).to.equal(200);
    expect((await signIn(email, { code })).status).to.equal(401);
    const wrong = { password: 'wrong wrong wrong', passkey: await answered() };
    expect((await signIn(email, wrong)).status).to.equal(401);
  });

  it('confirms in place of the password', async () => {
    const { accountId } = await withPasskey();
    await valueOf(
      `update portal.account_session set confirmed_at = now() - interval '1 hour'
       where account_id = $1`,
      [accountId],
    );
    const rotate = () => page.call('POST', '/api/tenants/acme/product-secret');
    expect((await rotate()).body['code']).to.equal('CONFIRMATION_REQUIRED');
    const confirm = (passkey: Json) =>
      page.call('POST', '/api/session/passkey/confirm', { passkey });
    const confirmed = await confirm(await answered());
    expect(confirmed.body['confirmedUntil']).to.be.a('string');
    expect((await rotate()).status).to.equal(201);
  });

  it('is one of several, each with a name', async () => {
    const { accountId, passkey } = await withPasskey();
    const again = await page.call('POST', '/api/account/passkeys/options');
    const excluded = (again.body['options'] as Json)['excludeCredentials'];
    expect(excluded).to.have.length(1);
    await page.unplug();
    await page.plugIn();
    const second = await addPasskey('phone');
    expect(second.body).to.deep.include({ name: 'phone', recoveryCodes: [] });
    const of = (id: unknown) => `/api/account/passkeys/${String(id)}`;
    const named = await page.call('PUT', of(second.body['passkeyId']), { name: 'old phone' });
    expect(named.body['name']).to.equal('old phone');
    const codes = 'select count(*)::int as value from portal.recovery_code where account_id = $1';
    expect((await page.call('DELETE', of(passkey['passkeyId']))).status).to.equal(200);
    expect(await valueOf(codes, [accountId])).to.equal(10);
    expect((await page.call('DELETE', of(passkey['passkeyId']))).status).to.equal(404);
    expect((await page.call('DELETE', of(second.body['passkeyId']))).status).to.equal(200);
    expect(await valueOf(codes, [accountId])).to.equal(0);
    const session = await page.call('GET', '/api/session');
    expect(session.body).to.include({ passkeys: 0, recoveryCodesLeft: 0 });
  });

  it('goes with the account', async () => {
    const { accountId } = await withPasskey();
    await portal.call('DELETE', `/api/tenants/acme/people/${accountId}`);
    const left = 'select count(*)::int as value from portal.passkey where account_id = $1';
    expect(await valueOf(left, [accountId])).to.equal(0);
    expect((await useAlone(await answered())).status).to.equal(401);
  });

  it('answers each question once, in time, and no other question', async () => {
    await withPasskey();
    const once = await answered();
    expect((await useAlone(once)).status).to.equal(200);
    await refused('an answer that was given before', once);
    const twice = await answered();
    const both = await Promise.all([useAlone(twice), useAlone(twice)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 401]);
    const late = await answered();
    portal.clock.set(new Date(Date.now() + 11 * 60_000).toISOString());
    await refused('an answer that comes too late', late);
    portal.clock.run();
    await refused(
      'a question that nobody asked',
      await answered((options) => ({ ...options, challenge: 'QUFBQUFBQUFBQUFBQUFBQUFB' })),
    );
    const { body } = await page.call('POST', '/api/account/passkeys/options');
    const { challenge } = body['options'] as Json;
    await refused(
      'the question for a new passkey',
      await answered((options) => ({ ...options, challenge })),
    );
  });

  it('is refused when anything of the answer is another', async () => {
    const owner = await withPasskey();
    const genuine = await answered();
    const response = genuine['response'] as Json;
    const [client, data] = ['clientDataJSON', 'authenticatorData'].map((name) =>
      Buffer.from(String(response[name]), 'base64url'),
    );
    const other = JSON.stringify({
      ...(JSON.parse(client!.toString()) as Json),
      origin: 'https://evil.example',
    });
    const counted = Buffer.from(data!);
    counted.writeUInt32BE(9_999, 33);
    for (const [what, change] of [
      ['another origin', { clientDataJSON: Buffer.from(other).toString('base64url') }],
      ['another count', { authenticatorData: counted.toString('base64url') }],
      ['no signature', { signature: 'AAAA' }],
    ] as const) {
      await refused(what, { ...genuine, response: { ...response, ...change } });
    }
    await refused('an unknown passkey', { ...genuine, id: 'AAAA', rawId: 'AAAA' });
    // Nobody is kept out by answers that are not theirs.
    expect((await useAlone(genuine)).status).to.equal(200);

    await page.verifyUser(false);
    const unlocked = await answered((options) => ({ ...options, userVerification: 'discouraged' }));
    await refused('a device that nobody unlocked', unlocked);
    await page.verifyUser(true);

    const foreign = await browser.openPage(`http://localhost:${await freePort()}`);
    await foreign.plugIn();
    const [credential] = await page.credentials();
    await foreign.copyOf(credential!, credential!.signCount + 10);
    const { body } = await page.call('POST', '/api/session/passkey/options');
    await refused('a page of another origin', await foreign.use(body['options']));
    await foreign.close();

    const somebody = await newPerson();
    await page.call('DELETE', '/api/session');
    await signIn(somebody.email);
    const confirm = { passkey: await answered() };
    const theirs = await page.call('POST', '/api/session/passkey/confirm', confirm);
    expect(theirs.status).to.equal(401);
    const mixed = await signIn(owner.email, { passkey: await answered() });
    expect(mixed.status).to.equal(200);
  });

  it('is suspended once it was used as if there were a copy of it', async () => {
    const { email } = await withPasskey();
    expect((await useAlone(await answered())).status).to.equal(200);
    expect((await useAlone(await answered())).status).to.equal(200);
    const [credential] = await page.credentials();
    await page.copyOf(credential!, 1);
    await refused('a copy, whose count is behind', await answered());
    await page.copyOf(credential!, credential!.signCount + 5);
    await refused('the original, as nobody knows which it is', await answered());
    expect((await signIn(email)).body.errors?.[0]?.pointer).to.equal('/passkey');
    const suspended =
      'select count(*)::int as value from portal.passkey where suspended_at is not null';
    expect(await valueOf(suspended)).to.equal(1);
  });

  it('is added by its own account only, with the answer to its question', async () => {
    const owner = await newPerson();
    await signIn(owner.email);
    const { body } = await page.call('POST', '/api/account/passkeys/options');
    const passkey = await page.make(body['options']);
    const other = await newPerson();
    await signIn(other.email);
    const add = () => page.call('POST', '/api/account/passkeys', { name: 'stolen', passkey });
    expect((await add()).status).to.equal(409);
    await signIn(owner.email);
    expect((await add()).status).to.equal(201);
    expect((await add()).status).to.equal(409);
    const malformed = { name: 'x', passkey: { id: '!', type: 'public-key' } };
    expect((await page.call('POST', '/api/account/passkeys', malformed)).status).to.equal(422);
  });

  it('is not offered where the portal has no host name, nor is what else is not set', async () => {
    const without = await startTestPortal();
    const ways = await ask(without, 'GET', '/api/session/ways');
    expect(ways.body).to.deep.equal({ passkeys: false, singleSignOn: null, mail: false });
    for (const [method, path] of [
      ['POST', '/api/session/passkey/options'],
      ['GET', '/api/session/single-sign-on'],
      ['GET', '/api/session/single-sign-on/callback?code=1&state=2'],
    ] as const) {
      expect((await ask(without, method, path)).status, path).to.equal(404);
    }
    await without.stop();
  }).timeout(120_000);

  async function refused(what: string, passkey: Json): Promise<void> {
    const { status, body } = await useAlone(passkey);
    expect([status, body['detail']], what).to.deep.equal([
      401,
      'E-mail, password, code or passkey is wrong.',
    ]);
    attackMade('tokens', `passkey: ${what}`);
  }
});

import {
  singleSignOnCallbackPath,
  singleSignOnPath,
} from '@tributary/contracts/admin/sign-in-path';
import { silentLogger } from '@tributary/event-log/testing';
import { attackMade } from '@tributary/testkit/attacks';
import { freePort } from '@tributary/testkit/free-port';
import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import {
  createBrowser,
  providerClient,
  startIdentityProvider,
} from '../testing/identity-provider.ts';
import { ask, password, signIn, signUp } from '../testing/people.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

type Provider = Awaited<ReturnType<typeof startIdentityProvider>>;
type Browser = ReturnType<typeof createBrowser>;

describe('portal: single sign-on', () => {
  let portal: TestPortal;
  let provider: Provider;
  let origin: string;
  let number = 0;
  before(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    provider = await startIdentityProvider(`${origin}${singleSignOnCallbackPath}`);
    portal = await startTestPortal({
      ...{ port, publicUrl: origin },
      provider: { issuer: provider.issuer, ...providerClient, name: 'Acme ID' },
    });
    await portal.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
  });
  after(async () => {
    await portal.stop();
    provider.stop();
  });
  afterEach(() => portal.clock.run());

  const someone = () => {
    number += 1;
    return { sub: `sub-${number}`, email: `sso${number}@example.com` };
  };
  const invite = (email: string, role = 'reviewer') =>
    portal.call('POST', '/api/tenants/acme/people/invitations', { email, role });
  /** Through the provider, up to where the browser is sent back to. */
  const answerOf = async (browser: Browser, query = '', change = (url: URL) => url) => {
    const begun = await browser.open(`${origin}${singleSignOnPath}${query}`);
    expect(begun.status).to.equal(303);
    const url = change(new URL(begun.headers.get('location') ?? ''));
    return browser.follow(url.href, `${origin}${singleSignOnCallbackPath}`);
  };
  const signOn = async (browser = createBrowser(), query = '') => {
    const answer = await browser.open(await answerOf(browser, query));
    return { answer, browser };
  };
  const sessionOf = (browser: Browser) => {
    const secret = browser.cookiesOf(origin).get('__Host-tributary-session') ?? '';
    const headers = { cookie: `__Host-tributary-session=${secret}` };
    return ask(portal, 'GET', '/api/session', { headers });
  };
  const expectRefused = async (answer: Response, browser: Browser, what: string) => {
    expect([answer.status, answer.headers.get('location')], what).to.deep.equal([
      303,
      '/portal/sign-in?refused=single-sign-on',
    ]);
    expect(await answer.text(), what).to.equal(
      '{"location":"/portal/sign-in?refused=single-sign-on"}',
    );
    expect((await sessionOf(browser)).status, what).to.equal(401);
    attackMade('tokens', `single sign-on: ${what}`);
  };
  const addRow = (sql: string, values: readonly unknown[]) => valueOf(sql, values);
  async function valueOf(sql: string, values: readonly unknown[] = []): Promise<unknown> {
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    const { rows } = await client.query<{ value: unknown }>(sql, [...values]);
    await client.end();
    return rows[0]?.value;
  }

  it('is a way to sign in, which the sign-in page is told', async () => {
    const { body } = await ask(portal, 'GET', '/api/session/ways');
    expect(body).to.deep.equal({
      ...{ passkeys: false, mail: false },
      singleSignOn: { name: 'Acme ID', path: singleSignOnPath },
    });
  });

  it('makes the account of who is invited, without a password', async () => {
    const { sub, email } = someone();
    await invite(email.toUpperCase());
    provider.be(sub, { email, email_verified: true, name: 'Ada\u0000 L.' });
    const { answer, browser } = await signOn();
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, '/portal']);
    const { body } = await sessionOf(browser);
    expect(body).to.deep.include({ name: 'Ada L.', hasPassword: false, isOperator: false });
    expect(body['memberships']).to.deep.equal([{ tenantId: 'acme', role: 'reviewer' }]);
    expect(body['email']).to.equal(email.toUpperCase());
    const password = { email, password: 'nobody has this password' };
    expect((await ask(portal, 'POST', '/api/session', { body: password })).status).to.equal(401);
    const listed = await portal.call('GET', '/api/tenants/acme/people');
    expect(JSON.stringify(listed.body['invitations'])).not.to.contain(email.toUpperCase());
    const audit = await portal.call('GET', '/api/audit?action=signInByProvider');
    expect((audit.body['entries'] as unknown[])[0]).to.deep.include({
      ...{ actor: `account:${String(body['accountId'])}`, status: 303, outcome: 'done' },
      target: { joined: 'acme: reviewer' },
    });
  });

  it('links an account by its verified e-mail, and knows it by its subject afterwards', async () => {
    const { sub, email } = someone();
    const person = await signUp(portal, { email, tenantId: 'acme', role: 'owner' });
    provider.be(sub, { email, email_verified: true });
    const first = await sessionOf((await signOn()).browser);
    expect(first.body).to.include({ accountId: person.accountId, hasPassword: false });
    provider.be(sub, { email: 'renamed@example.com', email_verified: false });
    const second = await sessionOf((await signOn()).browser);
    expect(second.body['accountId']).to.equal(person.accountId);
    expect(second.body['email']).to.equal(email);
  });

  it('leaves whoever prepared the account nothing to sign in with, and says so', async () => {
    const { sub, email } = someone();
    const person = await signUp(portal, { email, tenantId: 'acme', role: 'owner' });
    const page = await signIn(portal, { email });
    await signIn(portal, { email });
    const started = await page.call('POST', '/api/account/second-factor');
    const code = new TOTP({ secret: Secret.fromBase32(String(started.body['secret'])) }).generate();
    const { status } = await page.call('POST', '/api/account/second-factor/confirm', { code });
    expect(status).to.equal(200);
    await addRow(
      `insert into portal.passkey (passkey_id, account_id, credential_id, public_key, counter,
         transports, is_synced, name, created_at)
       values (gen_random_uuid(), $1, $2, '', 0, '{}', false, 'a copy', now())`,
      [person.accountId, sub],
    );
    await addRow('update portal.account set passkeys = 1 where account_id = $1', [
      person.accountId,
    ]);
    await addRow(`insert into portal.sign_in_link values ($2, $1, now() + interval '1 hour')`, [
      person.accountId,
      sub,
    ]);
    provider.be(sub, { email, email_verified: true });
    const { browser } = await signOn();
    expect((await page.call('GET', '/api/session')).status).to.equal(401);
    const withPassword = { email, password };
    expect((await ask(portal, 'POST', '/api/session', { body: withPassword })).status).to.equal(
      401,
    );
    attackMade('tokens', 'single sign-on: the password of who prepared the account');
    expect((await sessionOf(browser)).body).to.include({
      ...{ accountId: person.accountId, hasPassword: false, secondFactor: false },
      ...{ passkeys: 0, recoveryCodesLeft: 0 },
    });
    for (const table of ['passkey', 'recovery_code', 'sign_in_link']) {
      const left = `select count(*)::int as value from portal.${table} where account_id = $1`;
      expect(await valueOf(left, [person.accountId]), table).to.equal(0);
    }
    const audit = await portal.call('GET', '/api/audit?action=signInByProvider');
    expect((audit.body['entries'] as unknown[])[0]).to.deep.include({
      actor: `account:${person.accountId}`,
      target: { cleared: 'password, authenticator, recovery codes: 10, passkeys: 1, sessions: 2' },
    });
    // Whom the provider knows already keeps what they added themselves.
    await addRow('update portal.account set password_hash = $2 where account_id = $1', [
      ...[person.accountId, 'another'],
    ]);
    await signOn();
    expect((await sessionOf(browser)).body).to.include({ hasPassword: true });
  });

  it('takes no invitation but those that hold, of the very e-mail that is verified', async () => {
    const { sub, email } = someone();
    await signUp(portal, { email, tenantId: 'acme', role: 'analyst' });
    const other = `other-${email}`;
    await invite(other, 'owner');
    await invite(email, 'owner');
    portal.clock.set(new Date(Date.now() + 8 * 24 * 3_600_000).toISOString());
    provider.be(sub, { email, email_verified: true });
    await signOn();
    portal.clock.run();
    const role = `select role as value from portal.membership join portal.account using (account_id)
      where email = $1`;
    expect(await valueOf(role, [email])).to.equal('analyst');
    const left = 'select count(*)::int as value from portal.invitation where email = $1';
    expect(await valueOf(left, [other])).to.equal(1);
    // A subject that is linked, with an e-mail that is not verified any more.
    provider.be(sub, { email, email_verified: false });
    await signOn();
    expect(await valueOf(role, [email])).to.equal('analyst');
  });

  it('takes no address for another one that Unicode folds to it', async () => {
    const { sub, email } = someone();
    await signUp(portal, { email: `kim-${email}`, tenantId: 'acme', role: 'owner' });
    await invite(`karl-${email}`, 'owner');
    for (const like of [`\u212aim-${email}`, `\u212aarl-${email}`]) {
      provider.be(`${sub}-${like.length}`, { email: like, email_verified: true });
      const { answer, browser } = await signOn();
      await expectRefused(answer, browser, `an address that looks like another: ${like.length}`);
    }
  });

  it('gives whoever is linked what they are invited to later', async () => {
    const { sub, email } = someone();
    await invite(email);
    provider.be(sub, { email, email_verified: true });
    await signOn();
    await portal.call('POST', '/api/operators/invitations', { email });
    const { browser } = await signOn();
    expect((await sessionOf(browser)).body['isOperator']).to.equal(true);
  });

  it('signs in nobody who has no account and no invitation, or no verified e-mail', async () => {
    const stranger = someone();
    provider.be(stranger.sub, { email: stranger.email, email_verified: true });
    const unknown = await signOn();
    await expectRefused(unknown.answer, unknown.browser, 'an unknown account');
    const known = someone();
    await signUp(portal, { email: known.email, tenantId: 'acme', role: 'owner' });
    provider.be(known.sub, { email: known.email, email_verified: false });
    const unverified = await signOn();
    await expectRefused(unverified.answer, unverified.browser, 'an unverified e-mail');
    const invited = someone();
    await invite(invited.email);
    provider.be(invited.sub, { email: invited.email, email_verified: false });
    const early = await signOn();
    await expectRefused(early.answer, early.browser, 'an unverified e-mail that is invited');
    const accounts = 'select count(*)::int as value from portal.account where email = any($1)';
    expect(await valueOf(accounts, [[stranger.email, invited.email]])).to.equal(0);
    const invitations = 'select count(*)::int as value from portal.invitation where email = $1';
    expect(await valueOf(invitations, [invited.email])).to.equal(1);
  });

  it('refuses what is not the answer to the question of this browser', async () => {
    const { sub, email } = someone();
    await signUp(portal, { email, tenantId: 'acme', role: 'owner' });
    provider.be(sub, { email, email_verified: true });
    const changed = (name: string, value: string) => (url: URL) => {
      url.searchParams.set(name, value);
      return url;
    };
    for (const [what, change] of [
      ['another state', changed('state', 'another')],
      ['another nonce', changed('nonce', 'another')],
      ['another challenge', changed('code_challenge', 'A'.repeat(43))],
    ] as const) {
      const browser = createBrowser();
      const answer = await browser.open(await answerOf(browser, '', change));
      await expectRefused(answer, browser, what);
    }
    for (const [what, change] of [
      ['a changed state', changed('state', 'another')],
      ['a changed code', changed('code', 'another')],
      ['another issuer', changed('iss', 'https://evil.example')],
      ['an error of the provider', changed('error', 'access_denied')],
      ['a state that is given twice', (url: URL) => new URL(`${url.href}&state=another`)],
    ] as const) {
      const browser = createBrowser();
      const url = change(new URL(await answerOf(browser)));
      await expectRefused(await browser.open(url.href), browser, what);
    }
    const asked = createBrowser();
    const answer = await answerOf(asked);
    const other = createBrowser();
    await expectRefused(await other.open(answer), other, 'no cookie');
    await answerOf(other);
    await expectRefused(await other.open(answer), other, 'the cookie of another sign-on');
    portal.clock.set(new Date(Date.now() + 11 * 60_000).toISOString());
    await expectRefused(await asked.open(answer), asked, 'after ten minutes');
    portal.clock.run();
  });

  it('takes an answer once', async () => {
    const { sub, email } = someone();
    await signUp(portal, { email, tenantId: 'acme', role: 'owner' });
    provider.be(sub, { email, email_verified: true });
    const browser = createBrowser();
    const url = await answerOf(browser);
    const name = '__Host-tributary-single-sign-on';
    const secret = browser.cookiesOf(origin).get(name) ?? '';
    const open = () => fetch(url, { redirect: 'manual', headers: { cookie: `${name}=${secret}` } });
    const statuses = await Promise.all([open(), open(), open()]);
    const signedIn = statuses.filter((one) => one.headers.get('location') === '/portal');
    expect(signedIn).to.have.length(1);
    const nobody = createBrowser();
    await expectRefused(await open(), nobody, 'a replayed answer');
    // A code that was used, with the cookie and state of a question that was not.
    const fresh = createBrowser();
    const mixed = new URL(await answerOf(fresh));
    mixed.searchParams.set('code', new URL(url).searchParams.get('code') ?? '');
    await expectRefused(await fresh.open(mixed.href), fresh, 'a replayed code');
  });

  it('confirms what needs a password by the provider alone, when somebody signs in there anew', async () => {
    const { sub, email } = someone();
    await invite(email, 'owner');
    provider.be(sub, { email, email_verified: true });
    const { browser } = await signOn();
    const issue = (own: string, csrf: string) =>
      ask(portal, 'POST', '/api/tenants/acme/product-secret', {
        headers: {
          cookie: `__Host-tributary-session=${own}`,
          ...{ origin: portal.baseUrl, 'x-csrf-token': csrf },
        },
      });
    const tried = async () => {
      const secret = browser.cookiesOf(origin).get('__Host-tributary-session') ?? '';
      const { body } = await sessionOf(browser);
      return issue(secret, String(body['csrfToken']));
    };
    // The provider does not say when somebody signed in unless it is asked to.
    expect((await tried()).body['code']).to.equal('CONFIRMATION_REQUIRED');
    await signOn(browser, '?confirm=true');
    expect((await tried()).status).to.equal(201);
  });

  it('forgets the link with the account', async () => {
    const { sub, email } = someone();
    const person = await signUp(portal, { email, tenantId: 'acme', role: 'analyst' });
    provider.be(sub, { email, email_verified: true });
    await signOn();
    const links = 'select count(*)::int as value from portal.single_sign_on where account_id = $1';
    expect(await valueOf(links, [person.accountId])).to.equal(1);
    await portal.call('DELETE', `/api/tenants/acme/people/${person.accountId}`);
    expect(await valueOf(links, [person.accountId])).to.equal(0);
    const { answer, browser } = await signOn();
    await expectRefused(answer, browser, 'an account that was forgotten');
  });

  it('refuses while the provider does not answer, and logs no more than that', async () => {
    const lines: string[] = [];
    const gone = await startTestPortal({
      logger: { ...silentLogger, warn: (...line: unknown[]) => void lines.push(String(line[0])) },
      provider: { issuer: 'http://127.0.0.1:1', ...providerClient, name: 'Gone' },
    });
    const answer = await fetch(`${gone.baseUrl}${singleSignOnPath}`, { redirect: 'manual' });
    expect(answer.headers.get('location')).to.equal('/portal/sign-in?refused=single-sign-on');
    expect(lines).to.include('the provider of single sign-on does not answer');
    await gone.stop();
  }).timeout(120_000);
});

import { readFile } from 'node:fs/promises';
import { adminRoutes } from '@tributary/contracts/admin/admin-areas';
import type { AdminRoute } from '@tributary/contracts/admin/admin-route';
import { tenantRoles } from '@tributary/contracts/admin/rights';
import { createTokenSigner } from '@tributary/http/tokens';
import { attackMade } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import pg from 'pg';
import { ask, bearer, type Page, type Person, signIn, signUp } from '../testing/people.ts';
import { operatorToken, startTestPortal, type TestPortal } from '../testing/test-portal.ts';

// Who may what, tried at the running portal: every declared route, asked by everybody. What is
// expected is in a file by itself, which nothing writes: a right that changes is changed there by
// whoever meant it.
//
//   in   answered by the route itself (its 404, 409, 422 or 503 too)
//   401  no valid credentials
//   403  the right is missing
//   404  no such tenant
//   con  the password is needed once more

const expectations = new URL('../testing/role-matrix.txt', import.meta.url);

describe('portal: every route, asked by everybody', () => {
  let portal: TestPortal;
  const callers = new Map<
    string,
    (route: AdminRoute) => Promise<Readonly<Record<string, string>>>
  >();
  before(async () => {
    portal = await startTestPortal();
    for (const tenantId of ['acme', 'other']) {
      await portal.call('POST', '/api/tenants', { name: tenantId, tenantId });
    }
    await addCallers();
  });
  after(() => portal.stop());

  async function addCallers() {
    callers.set('nobody', () => Promise.resolve({}));
    callers.set('malformed', () => Promise.resolve(bearer('trib_nothing')));
    callers.set('access', await accessToken());
    const person = async (name: string, about: { tenantId?: string; role?: 'owner' }) => {
      callers.set(name, pages(await signUp(portal, { email: `${name}@example.com`, ...about })));
    };
    await person('foreign', { tenantId: 'other', role: 'owner' });
    for (const role of tenantRoles) {
      await person(role, { tenantId: 'acme', role: role as 'owner' });
      const token = await tokenOf('/api/tenants/acme/tokens', { name: role, role });
      callers.set(`t-${role}`, () => Promise.resolve(bearer(token)));
    }
    await person('operator', {});
    const token = await tokenOf('/api/tokens', { name: 'deployment' });
    callers.set('t-operator', () => Promise.resolve(bearer(token)));
    callers.set('bootstrap', () => Promise.resolve(bearer(operatorToken)));
    callers.set('removed', await removedMember());
    callers.set('stale', await longAgo());
  }

  async function tokenOf(path: string, body: object): Promise<string> {
    return String((await portal.call('POST', path, body)).body['token']);
  }

  /** A session, and another one after a request that ended it. */
  function pages(person: Person) {
    let page: Page | undefined;
    return async ({ path, method }: AdminRoute) => {
      const present = (page ??= await signIn(portal, person));
      if (method === 'DELETE' && /^\/api\/sessions?$/.test(path)) page = undefined;
      return present.headers;
    };
  }

  async function accessToken() {
    const issued = await portal.call('POST', '/api/tenants/acme/access-keys');
    const sign = createTokenSigner({
      key: portal.tokenSigningKey,
      environment: 'sandbox',
      clock: portal.clock,
      lifetimeSeconds: 600,
    });
    const accessKeyId = String(issued.body['accessKeyId']);
    const token = sign({ tenantId: 'acme', accessKeyId }).accessToken;
    return () => Promise.resolve(bearer(token));
  }

  async function removedMember() {
    const person = await signUp(portal, {
      email: 'removed@example.com',
      tenantId: 'acme',
      role: 'owner',
    });
    const { headers } = await signIn(portal, person);
    await portal.call('DELETE', `/api/tenants/acme/people/${person.accountId}`);
    return () => Promise.resolve(headers);
  }

  /** An owner who entered the password a quarter of an hour ago. */
  async function longAgo() {
    const about = { email: 'stale@example.com', tenantId: 'acme', role: 'owner' } as const;
    const person = await signUp(portal, about);
    const open = pages(person);
    return async (route: AdminRoute) => {
      const headers = await open(route);
      const client = new pg.Client({ connectionString: portal.postgresUrl });
      await client.connect();
      await client.query(
        `update portal.account_session set confirmed_at = confirmed_at - interval '15 minutes'
         where account_id = $1 and confirmed_at > now() - interval '10 minutes'`,
        [person.accountId],
      );
      await client.end();
      return headers;
    };
  }

  async function cell(route: AdminRoute, caller: string): Promise<string> {
    const headers = await callers.get(caller)!(route);
    const body = route.method === 'GET' ? undefined : {};
    const asked = { headers, body };
    const { status, body: answer } = await ask(portal, route.method, placed(route.path), asked);
    if (status === 404) return answer['detail'] === noTenant ? '404' : 'in';
    if (answer['code'] === 'CONFIRMATION_REQUIRED') return 'con';
    // A sign-in that fails has come in.
    if (status === 401 && route.right === 'none') return 'in';
    return [401, 403, 405].includes(status) ? String(status) : 'in';
  }

  const placed = (path: string) => path.replace('{tenantId}', 'acme').replaceAll(/\{\w+\}/g, 'x');

  it('lets in whom the table names, and nobody else', async () => {
    const names = [...callers.keys()];
    let made = 0;
    const rows: string[][] = [['', ...names]];
    for (const route of adminRoutes) {
      const row = [`${route.method} ${route.path}`];
      for (const name of names) {
        row.push(await cell(route, name));
        made += 1;
      }
      rows.push(row);
    }
    const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
    const tried = rows.map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
    expect(tried).to.deep.equal((await readFile(expectations, 'utf8')).trimEnd().split('\n'));
    expect(made).to.equal(adminRoutes.length * 19);
    for (const { method, path } of adminRoutes) {
      for (const name of names) attackMade('roles', `${method} ${path} as ${name}`);
    }
  }).timeout(300_000);

  it('changes nothing for a page of another site, whatever is asked', async () => {
    const owner = await signIn(portal, { email: 'owner@example.com' });
    const { cookie = '', origin = '', 'x-csrf-token': token = '' } = owner.headers;
    const forged = {
      'another origin': { cookie, origin: 'https://evil.example', 'x-csrf-token': token },
      'another site': { cookie, origin, 'sec-fetch-site': 'cross-site', 'x-csrf-token': token },
      'no token': { cookie, origin },
      'no origin': { cookie, 'x-csrf-token': token },
    };
    const changes = adminRoutes.filter(({ method, right }) => method !== 'GET' && right !== 'none');
    for (const { method, path } of changes) {
      for (const [what, headers] of Object.entries(forged)) {
        const { status, body } = await ask(portal, method, placed(path), { headers });
        expect([status, body['code']], `${method} ${path}: ${what}`).to.deep.equal([
          403,
          'FORBIDDEN',
        ]);
        expect(body['detail'], `${method} ${path}: ${what}`).to.match(/cookie/);
        attackMade('csrf', `${method} ${path}: ${what}`);
      }
    }
    expect(changes).to.have.length.greaterThan(60);
  }).timeout(120_000);

  it('leaves one entry of each change in the audit list, of whoever made it', async () => {
    const made = await portal.call('POST', '/api/tokens', { name: 'auditor' });
    const headers = bearer(String(made.body['token']));
    const actor = `token:${String(made.body['tokenId'])}`;
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    const changes = adminRoutes.filter((route) => route.method !== 'GET' && !route.storesNothing);
    for (const { method, path, right } of changes) {
      const answer = await ask(portal, method, placed(path), { headers, body: {} });
      const requestId = answer.headers.get('x-request-id');
      const { rows } = await client.query<{ actor: string; open: boolean }>(
        `select actor, false as open from portal.audit_entry where request_id = $1
         union all select entry ->> 'actor', true from portal.audit_open
           where entry ->> 'requestId' = $1`,
        [requestId],
      );
      expect(rows, `${method} ${path}`).to.deep.equal([{ actor, open: false }]);
      attackMade('audit', `${method} ${path} (${right})`);
    }
    await client.end();
    expect(changes).to.have.length.greaterThan(60);
  }).timeout(120_000);
});

const noTenant = 'There is no tenant with this id.';

import { readFile } from 'node:fs/promises';
import { adminRoutes } from '@tributary/contracts/admin/admin-areas';
import type { AdminRoute } from '@tributary/contracts/admin/admin-route';
import { tenantRoles } from '@tributary/contracts/admin/rights';
import { createTokenSigner } from '@tributary/http/tokens';
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
    const path = route.path.replace('{tenantId}', 'acme').replaceAll(/\{\w+\}/g, 'x');
    const headers = await callers.get(caller)!(route);
    const body = route.method === 'GET' ? undefined : {};
    const { status, body: answer } = await ask(portal, route.method, path, { headers, body });
    if (status === 404) return answer['detail'] === noTenant ? '404' : 'in';
    if (answer['code'] === 'CONFIRMATION_REQUIRED') return 'con';
    // A sign-in that fails has come in.
    if (status === 401 && route.right === 'none') return 'in';
    return [401, 403, 405].includes(status) ? String(status) : 'in';
  }

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
  }).timeout(120_000);
});

const noTenant = 'There is no tenant with this id.';

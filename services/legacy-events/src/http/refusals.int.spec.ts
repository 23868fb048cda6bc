import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { envelopes } from '../testing/arbitraries.ts';
import { payment } from '../testing/envelopes.ts';
import { createLegacyFixture, type LegacyFixture, type Sent } from '../testing/legacy-fixture.ts';
import { createLogLines } from '../testing/log-lines.ts';

const good = Buffer.from(JSON.stringify(payment()));

describe('what POST /events takes and refuses', () => {
  const { logger, lines } = createLogLines();
  let legacy: LegacyFixture;

  before(async () => {
    legacy = await createLegacyFixture((await getServers()).kafkaBrokers, logger);
  });

  after(() => legacy.stop());

  async function refusalOf(sent: Sent) {
    const { status, headers, body } = await legacy.send(sent);
    expect(body, String(status))
      .to.have.all.keys('message')
      .and.have.property('message')
      .a('string');
    expect(headers.get('content-type')).to.match(/^application\/json/);
    return { status, headers, message: body['message'] as string };
  }

  it('answers 400 naming newUserId when it is missing (7 rule 3)', async () => {
    const bodies = ['{}', '{"payload":null}', '{"payload":{"ucc":"C"}}', '[]', 'null', '"text"'];
    for (const body of bodies) {
      const { status, message } = await refusalOf({ body: Buffer.from(body) });
      expect([status, message], body).to.deep.include(400);
      expect(message).to.match(/^payload\.newUserId is missing/);
    }
  });

  it('tells the log what it refused to whom, without anything of the body', async () => {
    const body = payment();
    const secret = {
      ...body,
      payload: { ...body.payload, newUserId: '', price: 'jane@example.com' },
    };
    await refusalOf({ body: Buffer.from(JSON.stringify(secret)) });
    await refusalOf({ body: Buffer.from('jane@example.com') });
    await eventually(async () => {
      const records = await legacy.refusals();
      const told = records.flatMap(({ refusals }) => refusals);
      const missing = { pointer: '/payload/newUserId', code: 'REQUIRED' };
      expect(told.map(({ violations }) => violations)).to.deep.include([missing]);
      expect(told.some(({ violations }) => violations.length === 0)).to.equal(true);
      for (const refusal of told) {
        expect(refusal).to.include({ route: 'POST /events', accessKeyId: 'key-1', status: 400 });
      }
      expect(JSON.stringify(records)).not.to.contain('jane');
    });
  });

  it('answers 400 to what is no JSON in UTF-8', async () => {
    for (const text of [
      '',
      ' ',
      '{',
      '{"a":1,}',
      'payload=1',
      '\xff',
      '{"a":"\xc3"}',
      '\xfe\xff\0{',
    ]) {
      const { status } = await refusalOf({ body: Buffer.from(text, 'latin1') });
      expect(status, JSON.stringify(text)).to.equal(400);
    }
    expect((await refusalOf({})).status).to.equal(400);
  });

  it('takes any Content-Type and none (design 8, tolerant)', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', '']) {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
      expect((await legacy.send({ headers, body: good })).status, type).to.equal(200);
    }
  });

  it('cannot read an encoded body: 415; a Content-Encoding that is none matters not', async () => {
    for (const encoding of ['gzip', 'br']) {
      const headers = { 'content-encoding': encoding };
      expect((await refusalOf({ headers, body: gzipSync(good) })).status).to.equal(415);
    }
    for (const encoding of ['identity', 'utf-8']) {
      const headers = { 'content-encoding': encoding };
      expect((await legacy.send({ headers, body: good })).status).to.equal(200);
    }
  });

  it('takes a byte order mark, doubled names, __proto__ and 30,000 levels of nesting', async () => {
    const text = JSON.stringify(payment());
    const deep = '['.repeat(30_000) + ']'.repeat(30_000);
    for (const body of [
      `\ufeff${text}`,
      text.replace('{', '{"eventName":"first",'),
      text.replace('{', '{"__proto__":{"toString":1},"constructor":{"prototype":{"polluted":1}},'),
      text.replace('{', `{"deep":${deep},`),
    ]) {
      expect((await legacy.send({ body: Buffer.from(body) })).status).to.equal(200);
    }
    expect((await refusalOf({ body: Buffer.from(deep) })).status).to.equal(400);
    expect({}).to.not.have.property('polluted');
  });

  it('answers 401 without a valid token, before it looks at anything else (5)', async () => {
    const authorizations = [
      '',
      'Bearer x',
      `Basic ${legacy.token}`,
      `Bearer ${legacy.token}x`,
      `Bearer ${legacy.tokenFor('t1', 'revoked-key')}`,
      `Bearer ${legacy.tokenFor('t2', 'key-1')}`,
    ];
    for (const authorization of authorizations) {
      for (const sent of [{ body: Buffer.from('{') }, { method: 'GET' }]) {
        const headers = { authorization };
        const { status, headers: answered } = await refusalOf({ ...sent, token: '', headers });
        expect(status, authorization).to.equal(401);
        expect(answered.get('www-authenticate')).to.equal('Bearer');
      }
    }
  });

  it('answers 405 with Allow to another method', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await refusalOf({ method });
      expect([method, status, headers.get('allow')]).to.deep.equal([method, 405, 'POST']);
    }
  });

  it('answers 404 on every other path, /v1/events among them (4.4)', async () => {
    const paths = ['/v1/events', '/events/', '/EVENTS', '/', '/events%00', '/%65vents', '//events'];
    for (const path of [...paths, '/events/x', '/%ff', '/__proto__']) {
      expect((await refusalOf({ path, body: good })).status, path).to.equal(404);
    }
    expect((await legacy.send({ path: '/events?a=1', body: good })).status).to.equal(200);
  });

  it('answers 413 over 64 KiB and takes 64 KiB', async () => {
    const sized = (bytes: number) => Buffer.concat([good, Buffer.alloc(bytes - good.length, ' ')]);
    expect((await legacy.send({ body: sized(65_536) })).status).to.equal(200);
    expect((await refusalOf({ body: sized(65_537) })).status).to.equal(413);
    expect((await refusalOf({ body: Buffer.alloc(300_000, '{') })).status).to.equal(413);
  });

  it('gives every answer the id that the edge gave the request', async () => {
    const headers = { 'x-request-id': 'edge-id-1' };
    for (const sent of [{ body: good }, { body: Buffer.from('{') }, { path: '/nothing' }]) {
      const answer = await legacy.send({ ...sent, headers });
      expect(answer.headers.get('x-request-id')).to.equal('edge-id-1');
    }
  });

  it('answers any bytes with 200, 400 or 413, and a 200 is {success: true} (property)', async () => {
    const text = fc.oneof(envelopes, fc.jsonValue()).map((body) => JSON.stringify(body));
    const damaged = fc
      .tuple(text, fc.nat(), fc.nat(255))
      .map(([json, at, byte]) => damage(Buffer.from(json), at, byte));
    const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    const bodies = fc.oneof(
      text.map((json) => Buffer.from(json)),
      damaged,
      anyBytes,
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await legacy.send({ body });
        expect(answer.status).to.be.oneOf([200, 400, 413]);
        if (answer.status === 200) expect(answer.body).to.deep.equal({ success: true });
        else expect(answer.body).to.have.all.keys('message');
      }),
      { numRuns: 300 },
    );
  });

  it('repeats no submitted value in an answer, a log line or a metric (design 4, promise 9)', async () => {
    const before = lines.length;
    const answers = await Promise.all(canaryBodies().map((body) => legacy.send({ body })));
    const statuses = new Set(answers.map((answer) => answer.status));
    expect([...statuses].sort()).to.deep.equal([200, 400]);
    const said = [...answers.map((a) => JSON.stringify(a.body)), ...lines.slice(before)];
    expect(said.length).to.be.greaterThan(answers.length);
    expect([...said, await legacy.metrics()].join('\n')).not.to.match(/canary/i);
  });
});

function damage(bytes: Buffer, at: number, byte: number): Buffer {
  if (bytes.length > 0) bytes[at % bytes.length] = byte;
  return bytes;
}

/**
 * Each member of the envelope in turn as a value that cannot be missed, then bodies that are none.
 */
function canaryBodies(): Buffer[] {
  const canary = 'canary@example.com';
  const whole = payment({ newUser: { id: canary, email: canary, name: canary } });
  const sections = { payload: whole.payload, ...whole.context };
  const bodies: unknown[] = [whole, { ...whole, eventName: canary, [canary]: canary }];
  for (const section of Object.values(sections) as Record<string, unknown>[]) {
    for (const name of Object.keys(section)) {
      const kept = section[name];
      for (const value of [canary, [canary], { canary }, `canary\0`]) {
        section[name] = value;
        bodies.push(structuredClone(whole));
      }
      section[name] = kept;
    }
  }
  return [
    ...bodies.map((body) => Buffer.from(JSON.stringify(body))),
    Buffer.from('{"canary": canary}'),
    Buffer.from('canary\xff', 'latin1'),
  ];
}

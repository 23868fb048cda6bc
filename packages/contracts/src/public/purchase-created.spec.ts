import { expect } from 'chai';
import { violationsDetail } from '../body-reader.ts';
import { readPurchaseCreated } from './purchase-created.ts';

const valid = {
  ucc: 'AbCdEfGhIjK',
  occurredAt: '2026-01-31T12:00:00Z',
  newUser: { id: 'user_1' },
  currency: 'EUR',
  invoiceId: 'inv_1',
  amount: 4900,
  subscription: { interval: 'monthly' },
};

const read = (body: unknown) =>
  readPurchaseCreated(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

/** `[pointer, code]` of each violation; empty when the body is accepted. */
function violations(body: unknown): [string, string][] {
  const reading = read(body);
  if (reading.outcome === 'malformed') throw new Error(reading.detail);
  if (reading.outcome === 'valid') return [];
  return reading.violations.map(({ pointer, code }) => [pointer, code]);
}

/** The valid body with the member replaced by raw JSON text. */
function withRaw(pointer: string, raw: string): string {
  const [, outer, inner] = pointer.split('/');
  const body = structuredClone(valid) as unknown as Record<string, Record<string, unknown>>;
  if (inner === undefined) body[outer!] = '@@' as never;
  else body[outer!]![inner] = '@@';
  return JSON.stringify(body).replace('"@@"', raw);
}

describe('purchase-created body (interface 2.1)', () => {
  it('accepts the smallest and the fullest body', () => {
    expect(violations(valid)).to.eql([]);
    expect(
      violations({
        ...valid,
        idempotencyKey: ' k ',
        newUser: { id: 'u', email: 'a@b.example', name: 'Ann', organizationId: 'o' },
        subscription: { id: 's', interval: 'lifetime', seatsUsed: 0, productKey: 'p' },
      }),
    ).to.eql([]);
  });

  it('accepts amount 0 and the largest amount (4.1 rule 6)', () => {
    for (const raw of ['0', '-0', '9007199254740991']) {
      expect(violations(withRaw('/amount', raw)), raw).to.eql([]);
    }
  });

  it('refuses a float or string amount and never coerces it (4.1 rule 2)', () => {
    for (const raw of ['49.00', '4900.0', '1e2', '"4900"', 'null', 'true', '[]', '{}']) {
      expect(violations(withRaw('/amount', raw)), raw).to.eql([['/amount', 'INVALID_TYPE']]);
    }
  });

  it('refuses an amount out of bounds', () => {
    for (const raw of ['-1', '9007199254740992', '9007199254740993', '-9007199254740993']) {
      expect(violations(withRaw('/amount', raw)), raw).to.eql([['/amount', 'OUT_OF_RANGE']]);
    }
    expect(violations(withRaw('/amount', '9007199254740990.6'))).to.eql([
      ['/amount', 'INVALID_TYPE'],
    ]);
  });

  it('gives seats no upper bound and keeps their digits', () => {
    const reading = read(withRaw('/subscription/seatsUsed', '123456789012345678901234567890'));
    expect(reading).to.have.nested.property(
      'body.subscription.seatsUsed',
      123456789012345678901234567890n,
    );
    expect(violations(withRaw('/subscription/seatsUsed', '-1'))).to.eql([
      ['/subscription/seatsUsed', 'OUT_OF_RANGE'],
    ]);
    expect(violations(withRaw('/subscription/seatsUsed', '-99999999999999999999'))).to.eql([
      ['/subscription/seatsUsed', 'OUT_OF_RANGE'],
    ]);
  });

  it('refuses a currency that is lowercase or not in the list (4.1 rule 3)', () => {
    for (const raw of ['"eur"', '"EU"', '"ANG"', '""', '"€"']) {
      expect(violations(withRaw('/currency', raw)), raw).to.eql([['/currency', 'INVALID_ENUM']]);
    }
    expect(violations(withRaw('/currency', 'null'))).to.eql([['/currency', 'INVALID_TYPE']]);
  });

  it('refuses a timestamp without offset or with a space (4.1 rule 4)', () => {
    for (const raw of ['"2026-01-31T12:00:00"', '"2026-01-31 12:00:00Z"', '""']) {
      expect(violations(withRaw('/occurredAt', raw)), raw).to.eql([
        ['/occurredAt', 'INVALID_FORMAT'],
      ]);
    }
  });

  it('requires subscription.interval, and one of the list (4.1 rule 5)', () => {
    expect(violations({ ...valid, subscription: {} })).to.eql([
      ['/subscription/interval', 'REQUIRED'],
    ]);
    expect(violations(withRaw('/subscription/interval', '"daily"'))).to.eql([
      ['/subscription/interval', 'INVALID_ENUM'],
    ]);
  });

  it('measures strings in code points, takes a blank, refuses NUL and lone surrogates', () => {
    expect(violations({ ...valid, ucc: ' ' })).to.eql([]);
    expect(violations({ ...valid, ucc: '😀'.repeat(255) })).to.eql([]);
    expect(violations({ ...valid, ucc: '😀'.repeat(256) })).to.eql([['/ucc', 'OUT_OF_RANGE']]);
    expect(violations({ ...valid, ucc: '' })).to.eql([['/ucc', 'OUT_OF_RANGE']]);
    expect(violations(withRaw('/ucc', '"a\\u0000"'))).to.eql([['/ucc', 'INVALID_FORMAT']]);
    expect(violations(withRaw('/ucc', '"\\ud800"'))).to.eql([['/ucc', 'INVALID_FORMAT']]);
  });

  it('validates any string by length, then by form', () => {
    const tooLong = `"${'\\u0000'.repeat(256)}"`;
    expect(violations(withRaw('/ucc', tooLong))).to.eql([['/ucc', 'OUT_OF_RANGE']]);
    const body = withRaw('/ucc', '"c"').replace('{', `{"idempotencyKey":${tooLong},`);
    expect(violations(body)).to.eql([['/idempotencyKey', 'OUT_OF_RANGE']]);
    const nul = withRaw('/ucc', '"c"').replace('{', '{"idempotencyKey":"\\u0000",');
    expect(violations(nul)).to.eql([['/idempotencyKey', 'INVALID_FORMAT']]);
  });

  it('validates the e-mail by length, then by form', () => {
    expect(violations(withRaw('/newUser/email', '""'))).to.eql([
      ['/newUser/email', 'OUT_OF_RANGE'],
    ]);
    expect(violations(withRaw('/newUser/email', '"a"'))).to.eql([
      ['/newUser/email', 'INVALID_FORMAT'],
    ]);
    expect(violations(withRaw('/newUser/email', 'null'))).to.eql([
      ['/newUser/email', 'INVALID_TYPE'],
    ]);
  });

  it('measures the idempotency key after trimming (4.1 rule 7)', () => {
    expect(violations({ ...valid, idempotencyKey: ` ${'k'.repeat(255)}\t` })).to.eql([]);
    for (const key of ['', ' \n ', 'k'.repeat(256)]) {
      expect(violations({ ...valid, idempotencyKey: key })).to.eql([
        ['/idempotencyKey', 'OUT_OF_RANGE'],
      ]);
    }
  });

  it('lists present members in document order, then missing ones in schema order (design 8)', () => {
    const body = '{"zz":1,"amount":"x","newUser":{"b/~":1,"name":""},"subscription":null,"1":1}';
    expect(violations(body)).to.eql([
      ['/zz', 'UNKNOWN_FIELD'],
      ['/amount', 'INVALID_TYPE'],
      ['/newUser/b~1~0', 'UNKNOWN_FIELD'],
      ['/newUser/name', 'OUT_OF_RANGE'],
      ['/newUser/id', 'REQUIRED'],
      ['/subscription', 'INVALID_TYPE'],
      ['/1', 'UNKNOWN_FIELD'],
      ['/ucc', 'REQUIRED'],
      ['/occurredAt', 'REQUIRED'],
      ['/currency', 'REQUIRED'],
      ['/invoiceId', 'REQUIRED'],
    ]);
  });

  it('points at the root when the body is no object', () => {
    for (const body of ['[]', 'null', '1', '1.5', '"x"', 'true', '99999999999999999999']) {
      expect(violations(body), body).to.eql([['', 'INVALID_TYPE']]);
    }
  });

  it('treats prototype names as unknown fields at every level (4.1 rule 1)', () => {
    const body = JSON.stringify(valid)
      .replace('{"ucc"', '{"__proto__":{},"constructor":1,"ucc"')
      .replace('{"id"', '{"toString":1,"id"');
    expect(violations(body)).to.eql([
      ['/__proto__', 'UNKNOWN_FIELD'],
      ['/constructor', 'UNKNOWN_FIELD'],
      ['/newUser/toString', 'UNKNOWN_FIELD'],
    ]);
  });

  it('lists at most 20 and says so (interface 2.8)', () => {
    const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x${i}`, i]));
    const exact = read({ ...valid, ...twenty });
    expect(exact).to.include({ outcome: 'invalid', truncated: false });
    const more = read({ ...twenty });
    if (more.outcome !== 'invalid') throw new Error(more.outcome);
    expect(more.violations).to.have.length(20);
    expect(more.truncated).to.equal(true);
    expect(violationsDetail(more.violations, true)).to.contain('only the first 20');
  });

  it('validates thousands of unknown fields by the first ones, and the body as JSON to its end', () => {
    const names = Array.from({ length: 3_000 }, (_, i) => `x${i}`);
    const text = JSON.stringify({ ...Object.fromEntries(names.map((n) => [n, 1])), ...valid });
    const many = readPurchaseCreated(Buffer.from(text));
    if (many.outcome !== 'invalid') throw new Error(many.outcome);
    expect(many.truncated).to.equal(true);
    expect(many.violations.map(({ pointer }) => pointer)).to.eql(
      names.slice(0, 20).map((name) => `/${name}`),
    );
    for (const broken of [text.slice(0, -1), text.replace('"x2999":', '"x1":'), `${text}]`]) {
      expect(readPurchaseCreated(Buffer.from(broken)).outcome).to.equal('malformed');
    }
  });

  it('names the v2 field for a legacy one, at any level (interface 2.9)', () => {
    const detail = (body: object) => {
      const reading = read(body);
      return reading.outcome === 'invalid' ? reading.violations[0]?.detail : undefined;
    };
    expect(detail({ price: 1, ...valid })).to.contain('amount');
    expect(detail({ newUserId: 1, ...valid })).to.contain('newUser.id');
    expect(detail({ new_user_email: 1, ...valid })).to.contain('newUser.email');
    expect(detail({ ...valid, newUser: { id: 'u', fullName: 'x' } })).to.contain('newUser.name');
    expect(detail({ timestamp: 1, ...valid })).to.contain('occurredAt');
    for (const name of ['eventName', 'payload', 'context']) {
      expect(detail({ [name]: 1, ...valid })).to.match(/path|ucc|newUser/);
    }
  });

  it('never repeats a submitted value', () => {
    const canary = 'CANARY-7f3';
    const body = Object.fromEntries(Object.keys(valid).map((name) => [name, canary]));
    const reading = read({ ...body, ucc: canary.repeat(30), extra: canary });
    expect(JSON.stringify(reading)).not.to.contain(canary);
  });
});

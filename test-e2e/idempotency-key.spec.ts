import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { bodyWith, validMembers } from './conformance/valid-bodies.ts';
import { createKeyedSender, problemOf, type SendKeyed } from './keyed-requests.ts';
import { sharedDemo } from './shared-stack.ts';

/** Which key a request has (4.1 rules 7 and 10, design 8 "Idempotency key"), byte by byte. */
describe('the idempotency key of a request', () => {
  let send: SendKeyed;

  before(async function () {
    this.timeout(180_000);
    const demo = await sharedDemo();
    send = await createKeyedSender(demo, demo.tenants[0]!);
  });

  const purchase = (more: object = {}) => ({
    ...validMembers('purchase-created'),
    invoiceId: randomUUID(),
    ...more,
  });
  const id = randomUUID;

  /** Header line → the key that it is, which the body then says in its own way. */
  const forms: Record<string, (id: string) => readonly [header: string, key: string]> = {
    'é as UTF-8': (id) => [`é-${id}`, `é-${id}`],
    'characters of four bytes': (id) => [`🦊-${id}`, `🦊-${id}`],
    'a replacement character, which is a character': (id) => [`\ufffd${id}`, `\ufffd${id}`],
    'quotes, which are part of it': (id) => [`"${id}"`, `"${id}"`],
    'commas, semicolons and percent signs': (id) => [`${id}, b;c=%41`, `${id}, b;c=%41`],
    'blanks and tabs around it': (id) => [` \t ${id}\t `, id],
    'NBSP around it': (id) => [`\u00a0${id}\u00a0`, id],
    'U+FEFF around it': (id) => [`\ufeff${id}\ufeff`, id],
    'line separators around it': (id) => [`\u2028${id}\u2029`, id],
    'blanks of other scripts around it': (id) => [`\u1680\u3000${id}\u2003\u202f`, id],
    'a zero-width space, which is no blank': (id) => [`${id}\u200b`, `${id}\u200b`],
    'inner blanks': (id) => [`${id} \t\u00a0 x`, `${id} \t\u00a0 x`],
    '255 astral characters': (id) => [longest(id), longest(id)],
    '255 characters and blanks around them': (id) => [`\u3000 ${longest(id)} \u00a0`, longest(id)],
  };

  for (const [what, form] of Object.entries(forms)) {
    it(`is the same in header and body: ${what} (4.1 rule 7)`, async () => {
      const [header, key] = form(id());
      const body = purchase();
      const first = await send(body, { keys: [header] });
      expect(first.status, first.text).to.equal(202);
      const again = [
        await send({ ...body, idempotencyKey: key }),
        await send({ ...body, idempotencyKey: `\n\u2029 ${key}\r\v\f\ufeff` }),
        await send({ ...body, idempotencyKey: ` ${key}` }, { keys: [header] }),
        await send({ idempotencyKey: key, ...body }, { keys: [header, `\t${key} `] }),
      ];
      for (const answer of again) expect(answer).to.eql(first);
      const other = await send(purchase({ idempotencyKey: key }));
      expect([other.status, problemOf(other).code]).to.eql([409, 'IDEMPOTENCY_CONFLICT']);
    });
  }

  it('differs by case, normal form, quotes and what JavaScript does not trim', async () => {
    const key = `É-${id()}`;
    const body = purchase();
    const keys = [key, key.toLowerCase(), key.normalize('NFD'), `"${key}"`, `${key}\u200b`];
    const answers = await Promise.all(keys.map((line) => send(body, { keys: [line] })));
    expect(answers.map(({ status }) => status)).to.eql(keys.map(() => 202));
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(keys.length);
  });

  it('is one key when header lines are equal after trimming (design 8)', async () => {
    const key = id();
    const body = purchase();
    const first = await send(body, { keys: [key, ` ${key}\t`, `\u00a0${key}`] });
    expect(first.status, first.text).to.equal(202);
    expect(await send(body, { keys: [key] })).to.eql(first);
  });

  it('is refused when lines or forms differ after trimming, and is not used up (4.1 rule 10)', async () => {
    const [a, b] = [id(), id()];
    const conflicting = [
      await send(purchase(), { keys: [a, b] }),
      await send(purchase(), { keys: [a, a, b] }),
      await send(purchase({ idempotencyKey: b }), { keys: [a] }),
      await send(purchase({ idempotencyKey: b }), { keys: [a, b] }),
      await send(purchase({ idempotencyKey: `"${a}"` }), { keys: [a] }),
    ];
    for (const answer of conflicting) {
      expect([answer.status, problemOf(answer).code]).to.eql([400, 'IDEMPOTENCY_KEY_CONFLICT']);
    }
    for (const key of [a, b]) {
      expect((await send(purchase(), { keys: [key] })).status).to.equal(202);
    }
  });

  const broken: Record<string, readonly [key: string | Buffer, code: string]> = {
    'is empty': ['', 'OUT_OF_RANGE'],
    'is empty after trimming': ['\t \u00a0\ufeff\u2028', 'OUT_OF_RANGE'],
    'has 256 characters': ['k'.repeat(256), 'OUT_OF_RANGE'],
    'has 256 astral characters': ['🦊'.repeat(256), 'OUT_OF_RANGE'],
    'is latin1': [Buffer.from('k\u00e9', 'latin1'), 'INVALID_FORMAT'],
    'is cut in a character': [Buffer.from('k🦊').subarray(0, 4), 'INVALID_FORMAT'],
    'has a surrogate as bytes': [Buffer.from([0x6b, 0xed, 0xa0, 0x80]), 'INVALID_FORMAT'],
  };

  for (const [what, [key, code]] of Object.entries(broken)) {
    const error = `/idempotencyKey ${code}`;

    it(`is refused when the header ${what}: ${code} (4.1 rule 7, design 8)`, async () => {
      const answer = await send(purchase(), { keys: [key] });
      expect(answer.status).to.equal(422);
      expect(problemOf(answer)).to.eql({ code: 'VALIDATION_ERROR', errors: [error] });
    });

    it(`tells what is wrong with the body first when the header ${what} (2.8)`, async () => {
      const body = purchase({ colour: 'red', amount: '4900' });
      expect(problemOf(await send(body, { keys: [key] })).errors).to.eql([
        '/amount INVALID_TYPE',
        '/colour UNKNOWN_FIELD',
        error,
      ]);
    });
  }

  it('is refused when the body form is no text or of a wrong length (design 8, Strings)', async () => {
    const wrong: Record<string, string> = {
      '""': 'OUT_OF_RANGE',
      '"\\u00a0\\n"': 'OUT_OF_RANGE',
      [JSON.stringify('🦊'.repeat(256))]: 'OUT_OF_RANGE',
      '"k\\u0000"': 'INVALID_FORMAT',
      '"\\ud83e"': 'INVALID_FORMAT',
      null: 'INVALID_TYPE',
      17: 'INVALID_TYPE',
    };
    for (const [json, code] of Object.entries(wrong)) {
      const answer = await send(bodyWith('idempotencyKey', json).toString());
      expect(answer.status, json).to.equal(422);
      expect(problemOf(answer).errors, json).to.eql([`/idempotencyKey ${code}`]);
    }
  });

  it('has one violation when both forms are broken (one per pointer, design 8)', async () => {
    const answer = await send(bodyWith('idempotencyKey', 'null').toString(), { keys: [''] });
    expect(problemOf(answer).errors).to.eql(['/idempotencyKey INVALID_TYPE']);
  });

  it('counts with the twenty that are listed (2.8)', async () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, i]));
    const [nineteen, twenty] = [
      await send(purchase(unknown(19)), { keys: [''] }),
      await send(purchase(unknown(20)), { keys: [''] }),
    ];
    expect(problemOf(nineteen).errors).to.have.length(20);
    expect(problemOf(nineteen).errors.at(-1)).to.equal('/idempotencyKey OUT_OF_RANGE');
    expect(nineteen.text).not.to.contain('more than');
    expect(problemOf(twenty).errors).to.have.length(20);
    expect(problemOf(twenty).errors).not.to.include('/idempotencyKey OUT_OF_RANGE');
    expect(twenty.text).to.contain('more than 20');
  });

  it('is validated for its form before forms that differ (design 8, 422 before 400)', async () => {
    const refused = [
      await send(purchase({ amount: -1, idempotencyKey: 'a' }), { keys: ['b'] }),
      await send(purchase({ idempotencyKey: 'a' }), { keys: ['a', ''] }),
      await send(purchase({ idempotencyKey: ' ' }), { keys: ['a', 'b'] }),
    ];
    expect(refused.map(({ status }) => status)).to.eql([422, 422, 422]);
  });

  /** 255 code points, 509 UTF-16 units. */
  function longest(id: string): string {
    return id + '🦊'.repeat(255 - id.length);
  }
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { contentKey } from './content-key.ts';

const refund = {
  ucc: 'MiYK421SmMb',
  occurredAt: '2026-02-01T10:00:00Z',
  newUser: { id: 'user-17' },
  currency: 'EUR',
  invoiceId: 'inv-17',
  amount: 1000,
};
const keyOf = (changes: object = {}) => contentKey('purchase-refunded', { ...refund, ...changes });

/** The clients of all languages make these keys: test-e2e/clients-alone.spec.ts. */
const file = join(import.meta.dirname, '../../../test-e2e/clients/content-keys.json');
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
  vectors: { about: string; eventType: string; event: object; key: string }[];
};

describe('contentKey', () => {
  for (const { about, eventType, event, key } of vectors) {
    it(`makes the published key of ${about}`, () => {
      expect(contentKey(eventType, event)).to.equal(key);
    });
  }

  for (const page of ['packages/client/README.md', 'docs/integration.md']) {
    it(`is what the command on ${page} computes`, () => {
      const text = readFileSync(join(import.meta.dirname, '../../..', page), 'utf8');
      const [, command = ''] = /^(printf '%s\\0' .*sha256sum)$/m.exec(text) ?? [];
      const digest = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).slice(0, 64);
      expect(keyOf()).to.equal(`content-v1-${digest}`);
      expect(text).to.contain(keyOf());
    });
  }

  it('is the same for every spelling of one moment', () => {
    for (const occurredAt of [
      '2026-02-01T10:00:00.000Z',
      '2026-02-01t10:00:00z',
      '2026-02-01T10:00:00-00:00',
      '2026-02-01T12:30:00.0+02:30',
      '2026-01-31T23:00:00-11:00',
    ]) {
      expect(keyOf({ occurredAt }), occurredAt).to.equal(keyOf());
    }
    const leap = { occurredAt: '2016-12-31T23:59:60Z' };
    expect(keyOf({ occurredAt: '2017-01-01T00:59:60+01:00' })).to.equal(keyOf(leap));
  });

  it('is another one for each part of what makes a business fact', () => {
    const keys = [
      keyOf(),
      contentKey('purchase-created', refund),
      keyOf({ newUser: { id: 'user-18' } }),
      keyOf({ occurredAt: '2026-02-01T10:00:00.0000001Z' }),
      keyOf({ invoiceId: 'inv-18' }),
      keyOf({ currency: 'USD' }),
      keyOf({ amount: 1001 }),
      // Nothing of one value passes for a part of the next.
      keyOf({ invoiceId: 'inv-17EUR', currency: '' }),
    ];
    expect(new Set(keys).size).to.equal(keys.length);
  });

  it('leaves out what two reports of one fact may differ in, and every person', () => {
    const more = {
      ucc: 'another',
      newUser: { id: 'user-17', email: 'a@example.com', name: 'Ada', organizationId: 'acme' },
      subscription: { id: 'sub-1', interval: 'monthly', seatsUsed: 3, productKey: 'pro' },
    };
    expect(keyOf(more)).to.equal(keyOf());
  });

  it('is made of whatever a caller sends: the service refuses it in its own words', () => {
    for (const odd of [
      { newUser: null },
      { newUser: 'user-17' },
      { occurredAt: 17 },
      { occurredAt: '2026-99-99T10:00:00Z' },
      { occurredAt: undefined, amount: null, invoiceId: ['inv-17'] },
    ]) {
      expect(keyOf(odd)).to.match(/^content-v1-[0-9a-f]{64}$/);
    }
  });
});

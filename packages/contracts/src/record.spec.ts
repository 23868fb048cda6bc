import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { catalogCodec } from './catalog-record.ts';
import { eventCodec } from './event-record.ts';
import type { Codec } from './record.ts';

/** What a dead letter says of a broken record is all that operators have to go by. */
describe('reading a broken record', () => {
  type Golden = Record<string, unknown>;
  const golden = (codec: Codec<unknown>, tag: string, value: string): Golden => {
    const file = new URL(`../golden/${codec.name}.v${codec.schemaVersion}.json`, import.meta.url);
    const records = JSON.parse(readFileSync(file, 'utf8')) as Golden[];
    return records.find((record) => record[tag] === value)!;
  };
  const detailOf = (codec: Codec<unknown>, record: object) => {
    const decoded = codec.decode(Buffer.from(JSON.stringify(record)));
    return decoded.outcome === 'broken' ? decoded.detail : decoded.outcome;
  };
  const purchase = golden(eventCodec, 'eventType', 'purchase-created');

  it('names what is wrong with the form that it means to be', () => {
    const wrong = { ...purchase, occurredAtSeconds: 'yesterday' };
    expect(detailOf(eventCodec, wrong)).to.match(/^\/occurredAtSeconds: Expected string to match/);
    expect(detailOf(eventCodec, { ...purchase, purchase: undefined })).to.equal(
      '/purchase: Expected required property',
    );
    const revision = golden(catalogCodec, 'entity', 'campaign-revision');
    expect(detailOf(catalogCodec, { ...revision, creditScale: 'two' })).to.match(
      /^\/creditScale: /,
    );
  });

  it('names the place of a choice that is none, and the whole when it has no form', () => {
    expect(detailOf(eventCodec, { ...purchase, source: 'rumour' })).to.equal(
      '/source: Expected union value',
    );
    expect(detailOf(eventCodec, { ...purchase, eventType: 'rumour' })).to.equal(
      '/: Expected union value',
    );
  });

  it('repeats no value', () => {
    for (const name of Object.keys(purchase).filter((member) => member !== 'schemaVersion')) {
      expect(detailOf(eventCodec, { ...purchase, [name]: 'canary' })).to.not.contain('canary');
      expect(detailOf(eventCodec, { ...purchase, [name]: { canary: 1 } })).to.not.contain('canary');
    }
  });
});

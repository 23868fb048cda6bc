import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { auditCodec } from './audit-record.ts';
import { catalogCodec } from './catalog-record.ts';
import { codeCodec } from './code-record.ts';
import { deadLetterCodec } from './dead-letter-record.ts';
import { decisionCodec } from './decision-record.ts';
import { deliveryCodec } from './delivery-record.ts';
import { eventCodec } from './event-record.ts';
import { issuanceCodec } from './issuance-record.ts';
import { personCodec } from './people-record.ts';
import { processorCodec } from './processor-record.ts';
import type { Codec } from './record.ts';
import { refusalCodec } from './refusal-record.ts';
import { rewardCodec } from './reward-record.ts';

/**
 * Records as they were written under each schema version, never edited: topics are kept for ever,
 * so every version ever written must stay readable (design 3).
 */
const goldenDir = new URL('../golden/', import.meta.url);

const codecs: Codec<unknown>[] = [
  eventCodec,
  personCodec,
  codeCodec,
  catalogCodec,
  decisionCodec,
  rewardCodec,
  issuanceCodec,
  deliveryCodec,
  processorCodec,
  deadLetterCodec,
  auditCodec,
  refusalCodec,
];

describe('golden records (design 3)', () => {
  it('exist for every version of every codec, and for nothing else', () => {
    const wanted = codecs.flatMap(({ name, schemaVersion }) =>
      Array.from({ length: schemaVersion }, (_, i) => `${name}.v${i + 1}.json`),
    );
    expect(readdirSync(goldenDir)).to.have.members(wanted);
  });

  for (const codec of codecs) {
    for (let version = 1; version <= codec.schemaVersion; version++) {
      it(`of ${codec.name} version ${version} are read, and can be written again`, () => {
        for (const record of readGolden(codec.name, version)) {
          const decoded = codec.decode(Buffer.from(JSON.stringify(record)));
          if (decoded.outcome !== 'record') expect.fail(JSON.stringify([record, decoded]));
          expect(record.schemaVersion).to.equal(version);
          if (version === codec.schemaVersion) expect(decoded.value).to.deep.equal(record);
          expect(codec.encode(decoded.value)).to.be.a('string');
        }
      });
    }
  }
});

function readGolden(name: string, version: number): { schemaVersion: number }[] {
  const text = readFileSync(new URL(`${name}.v${version}.json`, goldenDir), 'utf8');
  return JSON.parse(text) as { schemaVersion: number }[];
}

import { expect } from 'chai';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dictionaryOf, type Kind, pack, unpack, unpackMaybe } from './pack.ts';

const kinds: readonly Kind[] = ['event', 'decision', 'reward', 'issuance', 'delivery'];

describe('packed records', () => {
  it('are unpacked to the same, whatever they hold', () => {
    const anything = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
    fc.assert(
      fc.property(fc.constantFrom(...kinds), anything, (kind, record) => {
        const same: unknown = JSON.parse(JSON.stringify(record));
        expect(unpack(pack(kind, record))).to.deep.equal(same);
      }),
    );
    expect(unpackMaybe(null)).to.equal(null);
  });

  it('are unpacked as they were packed first', () => {
    for (const kind of kinds) {
      const packed = Buffer.from(packedFirst[kind], 'base64');
      expect(unpack(packed), kind).to.deep.equal(golden(kind));
    }
  });

  it('have the dictionaries that they were packed with first, byte by byte', () => {
    for (const [number, digest] of Object.entries(digests)) {
      const hash = createHash('sha256').update(dictionaryOf(Number(number)));
      expect(hash.digest('hex'), number).to.equal(digest);
    }
  });

  it('are small', () => {
    for (const kind of kinds) {
      const record = golden(kind);
      const share = pack(kind, record).length / JSON.stringify(record).length;
      expect(share, kind).to.be.below(0.6);
    }
  });

  it('are not taken for what they are not', () => {
    expect(() => unpack(Buffer.of(99, 1, 2))).to.throw('not known: 99');
    expect(() => unpack(Buffer.alloc(0))).to.throw('not known');
  });
});

/** The first golden record of today's version. */
function golden(kind: Kind): object {
  const versions = { event: 3, decision: 4, reward: 3, issuance: 2, delivery: 2 };
  const file = `../../../../../../packages/contracts/golden/${kind}.v${versions[kind]}.json`;
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return (JSON.parse(text) as object[])[0]!;
}

/** SHA-256 of each dictionary by its number. Never changed, only added to. */
const digests: Readonly<Record<number, string>> = {
  1: '823196984dd41f824ab216198381418b26b910e0491e5e3b2c35518de7d0284d',
  2: 'b68bf6ddef51fc95b582d52c103b4456942b4a146775897a675c643be31e18be',
  3: '9d959d92978fa3509bebe842d1bda620b206a42c1568a1b011bdd2ab6d540122',
  4: '47dafe13fd6d7ca445b069e285d51ab06b60768b69fe83c3aef13e8f75744b12',
  5: '5e2927078292ee9be58a6c5f19a50ae582f2a2a771bcdf4c7721baf28d2654bd',
};

/** By the first dictionaries, in base64. Never changed: rows like these are in databases. */
const packedFirst: Record<Kind, string> = {
  event:
    'AaXROw7CMBBF0RUNmjfjD/YWIlehSTlGRqIgBUhZPygFBYqSKPS3umdjOQy3xkrXsxlFH0HmpBFHsZCU' +
    'qyoOqQAkuEAyOIueJLplld8urKgkL0F5rr5A5T50TtA/Sl2CerXnf1bjtK7lEvMurQ/FGw==',
  decision:
    'AqXVzQrCMAwH8HfxHslH19q9guykF71lroIHRRx4891l60Gmda14Dwn5E35JGTZLFikdAwocVqrgKkeg' +
    'hgOgY7VesBWhD7YiUs1ptzZMm3PTJrEiAqYtcU1YsyzZzmDlK7aCY1XSrfdezuzz1k507UPMagJ6B4X7' +
    'vxL+n534176ae7ln1PWIRer+QuowNKJacpv99RY1yB+odrp4PAE=',
  reward:
    'A5XUQQrCMBCF4RNNmSSOiYdx8TKZqCBFWnDn3aWLutBIyBEe/O/roCVass+VSTVFEnAkSApUs0HBplbK' +
    'mGvrY7nNly5u+5IR41AwYNz8bCjn4KpxIE0ARYmOcPBGHD2Op8A5BPcNYSHXofBq9zaDfpJNvT8Jr7Z8' +
    'Kp42j1pi7kb93P38egM=',
  issuance:
    'BJXQOQ7CQAxA0bvQOxo741lyDi7gbVAahKBE3B1RRkQi9L/57/nvWpFMbfSArlmAiSp0SRUotGOpRVl8' +
    'e8/mSjoSmLUK/ImF2wxDQ0xSWLj/Bnrc7uv18qUkLkeUaOI9J0QgPCMtmBaap1x41+nAc5xebw==',
  delivery:
    'BY2SyQ2AMAwEKzKKl1xOHTRgi9AFvfPgFbAIBaxGM1pXdm6WNaIe0kksKiWgkGgohG7CuWRL2p/yPzb7' +
    '0MeJ/pJkJvDGaBwa1iV5ktPSX5dzjzNQ6009Lw==',
};

import { expect } from 'chai';
import { deriveUcc, isDerivedUccForm } from './ucc.ts';

const key = Buffer.from('a key that never rotates');
const parts = { tenantId: 't1', campaignId: 'c1', productUserId: 'u1', generation: 1 };

describe('derived codes (design 7)', () => {
  it('gives the same code for the same cause, for ever', () => {
    expect(deriveUcc(key, parts)).to.equal(deriveUcc(key, { ...parts }));
    expect(deriveUcc(key, parts)).to.equal('YoyKHR7e3I2');
  });

  it('gives another code for another tenant, campaign, user, generation or key', () => {
    const codes = [
      deriveUcc(key, parts),
      deriveUcc(key, { ...parts, tenantId: 't2' }),
      deriveUcc(key, { ...parts, campaignId: 'c2' }),
      deriveUcc(key, { ...parts, productUserId: 'u2' }),
      deriveUcc(key, { ...parts, generation: 2 }),
      deriveUcc(Buffer.from('another'), parts),
    ];
    expect(new Set(codes)).to.have.length(codes.length);
  });

  it('has the form that custom codes may not have', () => {
    expect(isDerivedUccForm(deriveUcc(key, parts))).to.equal(true);
    expect(isDerivedUccForm('SUMMER-2026')).to.equal(false);
    expect(isDerivedUccForm('SUMMER20261')).to.equal(true);
    expect(isDerivedUccForm('SUMMER20261\n')).to.equal(false);
  });
});

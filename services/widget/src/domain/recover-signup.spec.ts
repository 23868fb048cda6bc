import { expect } from 'chai';
import type { OwnedCode } from './choose-invite.ts';
import { bootedSoonAfter, firstBootOf, refers } from './recover-signup.ts';

const boot = '2026-03-08T12:00:00.000Z';
const code = (about: Partial<OwnedCode> = {}): OwnedCode => ({
  ucc: 'x',
  status: 'issued',
  campaignId: 'c1',
  productUserId: 'ada',
  issuedAt: boot,
  changedAt: boot,
  ...about,
});

describe('a signup that the backend did not report', () => {
  it('is taken from a first boot within seven days after the click', () => {
    expect(bootedSoonAfter('2026-03-08T12:00:00.000Z', boot)).to.equal(true);
    expect(bootedSoonAfter('2026-03-01T12:00:00.000Z', boot)).to.equal(true);
    expect(bootedSoonAfter('2026-03-01T14:00:00+02:00', boot)).to.equal(true);
    expect(bootedSoonAfter('2026-03-01T11:59:59.999Z', boot)).to.equal(false);
    expect(bootedSoonAfter('2026-03-08T12:00:00.001Z', boot)).to.equal(false);
    expect(bootedSoonAfter('', boot)).to.equal(false);
  });

  it("is by another user's code that is not disabled", () => {
    expect(refers(code(), 'bob')).to.equal(true);
    expect(refers(code(), 'ada')).to.equal(false);
    expect(refers(code({ status: 'disabled' }), 'bob')).to.equal(false);
    expect(refers(undefined, 'bob')).to.equal(false);
  });

  it('happened when the first derived code was issued', () => {
    const later = '2026-04-01T00:00:00.000Z';
    const derived = ({ ucc }: OwnedCode) => ucc.startsWith('d');
    const codes = [
      code({ ucc: 'd2', issuedAt: later }),
      code({ ucc: 'd1' }),
      code({ ucc: 'custom', issuedAt: '2020-01-01T00:00:00.000Z' }),
    ];
    expect(firstBootOf(codes, derived)).to.equal(boot);
    expect(firstBootOf(codes.slice(2), derived)).to.equal(undefined);
  });
});

import { expect } from 'chai';
import { createAdmission } from './admission.ts';

describe('the admission of events', () => {
  let nowMs = 0;
  const tenants: Record<string, { status: 'active' | 'suspended'; eventsPerSecond?: number }> = {
    slow: { status: 'active', eventsPerSecond: 2 },
    fast: { status: 'active' },
    off: { status: 'suspended' },
  };
  const create = () =>
    createAdmission({ tenant: (id) => tenants[id], eventsPerSecond: 100, nowMs: () => nowMs });

  it('takes ten seconds’ worth at once, then as many as the tenant has a second', () => {
    const admit = create();
    for (let n = 0; n < 20; n += 1) expect(admit('slow').outcome).to.equal('admitted');
    expect(admit('slow')).to.deep.equal({ outcome: 'over-quota', retryAfterSeconds: 1 });
    nowMs += 500;
    expect(admit('slow').outcome).to.equal('admitted');
    expect(admit('slow').outcome).to.equal('over-quota');
  });

  it('counts each tenant by itself, by the limit of the deployment where it has none', () => {
    const admit = create();
    const taken = Array.from({ length: 1_005 }, () => admit('fast')).filter(
      ({ outcome }) => outcome === 'admitted',
    );
    expect(taken).to.have.length(1_000);
    expect(admit('slow').outcome).to.equal('admitted');
  });

  it('takes nothing of a tenant that is suspended', () => {
    expect(create()('off')).to.deep.equal({ outcome: 'suspended' });
  });

  it('goes by a limit that was changed at once', () => {
    const admit = create();
    for (let n = 0; n < 21; n += 1) admit('slow');
    tenants['slow'] = { status: 'active', eventsPerSecond: 50 };
    nowMs += 1_000;
    for (let n = 0; n < 50; n += 1) expect(admit('slow').outcome).to.equal('admitted');
    expect(admit('slow').outcome).to.equal('over-quota');
  });
});

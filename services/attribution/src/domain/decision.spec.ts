import { expect } from 'chai';
import { purchase } from '../testing/records.ts';
import { nextVersion, undecidedOn } from './decision.ts';
import { toFact } from './fact.ts';

describe('versions of a decision', () => {
  const content = undecidedOn(toFact(purchase(1)));

  it('begin at 1 and grow by one with each change of content', () => {
    const first = nextVersion(undefined, content);
    expect(first?.version).to.equal(1);
    expect(nextVersion(first, { ...content, flags: ['user-differs'] })?.version).to.equal(2);
  });

  it('stay when nothing changed, in whatever order the members are', () => {
    const first = nextVersion(undefined, content)!;
    const turned = Object.fromEntries(Object.entries(first).reverse()) as typeof first;
    expect(nextVersion(turned, content)).to.equal(undefined);
  });
});

describe('a fact', () => {
  it('keeps the organisation and drops idempotency and warnings', () => {
    const event = {
      ...purchase(1),
      newUser: { id: 'u', organizationId: 'o' },
      idempotency: { key: 'k', fingerprint: 'f' },
      warnings: [{ code: 'OCCURRED_AT_IN_FUTURE', detail: 'd' }],
    };
    const kept = toFact(event).event;
    expect(kept.newUser.organizationId).to.equal('o');
    expect(kept).not.to.have.any.keys('idempotency', 'warnings');
  });
});

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { DecisionRecord, DecisionTest, Reversal } from './decision-record.ts';
import { decisionDigest } from './state-item.ts';

/** With every member that a decision can have. */
const whole: Record<string, unknown> = {
  ...{ schemaVersion: 4, decisionId: 'd-1', version: 3, tenantId: 't1', eventId: 'e1' },
  ...{ eventType: 'purchase-created', source: 'v2', newUserId: 'u1', organizationId: 'o1' },
  ...{ ucc: 'code', boundUcc: 'other', occurredAt: '2026-03-01T10:00:00Z' },
  ...{ occurredAtSeconds: '1772359200', receivedAt: '2026-03-01T10:00:01.000Z' },
  purchase: { currency: 'EUR', amount: 4900, subscription: { interval: 'monthly' } },
  refund: { currency: 'EUR', amount: 100 },
  ...{ businessKey: '["purchase","t1","inv"]', outcome: 'attributed', reason: 'duplicate' },
  ...{ duplicateOf: 'e2', refundOf: 'e3' },
  reversals: [
    {
      ...{ eventId: 'e4', occurredAt: '2026-03-02T10:00:00Z', occurredAtSeconds: '1772445600' },
      ...{ receivedAt: '2026-03-02T10:00:01.000Z', reversedAmount: 100, full: false },
    },
  ],
  ...{ waitsUntil: '2026-04-01T10:00:00.000Z', review: ['referral-loop'], campaignId: 'spring' },
  ...{ campaignRevision: 2, referrerId: 'ada', flags: ['user-differs'] },
  tests: [{ test: 'code known', passed: true, detail: 'it was' }],
};
const digestOf = (decision: object) => decisionDigest(decision as DecisionRecord);

describe('the digest of a decision', () => {
  it('is another one when any member is, but for its version and schema', () => {
    expect(Object.keys(whole)).to.have.members(Object.keys(DecisionRecord.properties));
    const first = (name: string) => (whole[name] as Record<string, unknown>[])[0]!;
    expect(Object.keys(first('reversals'))).to.have.members(Object.keys(Reversal.properties));
    expect(Object.keys(first('tests'))).to.have.members(Object.keys(DecisionTest.properties));

    const silent = membersOf(whole).filter(
      (path) => digestOf(changed(whole, path)) === digestOf(whole),
    );
    expect(silent).to.deep.equal([['schemaVersion'], ['version']]);
  });

  it('tells an absent member from any other', () => {
    const needed = ['tests', 'flags'];
    const silent = Object.keys(whole)
      .filter((name) => !needed.includes(name))
      .filter((name) => digestOf({ ...whole, [name]: undefined }) === digestOf(whole));
    expect(silent).to.deep.equal(['schemaVersion', 'version']);
  });

  /**
   * Attribution stores these and compares what it folds with them: were they made otherwise, every
   * decision that is folded again would be published as a new version.
   */
  it('stays what it was in the release that stored it', () => {
    const url = new URL('../golden/decision.v4.json', import.meta.url);
    const [one] = JSON.parse(readFileSync(url, 'utf8')) as DecisionRecord[];
    expect(digestOf(one!)).to.equal('wj7jyCOa1jMeYWSN16OVWsw3vq-bSQY1ah-y4OmqAaw');
    expect(digestOf(whole)).to.equal('Nvy4Nja2EYWMgEas_06TBNBGY8-VwTx3oE3u6wze-Z4');
  });
});

type Path = readonly (string | number)[];

/** The paths of all members that are neither objects nor arrays. */
function membersOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, [...path, name]));
}

function changed(value: unknown, [name, ...rest]: Path): object {
  if (name === undefined) return 'changed' as unknown as object;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = changed(copy[name], rest);
  return copy;
}

import { readFileSync } from 'node:fs';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import { decisionDigest } from '@tributary/contracts/state-item';
import { expect } from 'chai';
import { purchase } from '../testing/records.ts';
import { type DecisionContent, nextVersion, undecidedOn } from './decision.ts';
import { toFact } from './fact.ts';

function next(stored: DecisionRecord | undefined, content: DecisionContent) {
  const known = stored && { version: stored.version, digest: decisionDigest(stored) };
  return nextVersion(known, content, decisionDigest(content));
}

describe('versions of a decision', () => {
  const content = undecidedOn(toFact(purchase(1)));

  it('begin at 1 and grow by one with each change of content', () => {
    const first = next(undefined, content);
    expect(first?.version).to.equal(1);
    expect(next(first, { ...content, flags: ['user-differs'] })?.version).to.equal(2);
  });

  it('stay when nothing changed, in whatever order the members are', () => {
    const first = next(undefined, content)!;
    const turned = Object.fromEntries(Object.entries(first).reverse()) as typeof first;
    expect(next(turned, content)).to.equal(undefined);
  });
});

describe('what was stored under an older schema', () => {
  const golden = (name: string) =>
    JSON.parse(
      readFileSync(
        new URL(`../../../../packages/contracts/golden/${name}`, import.meta.url),
        'utf8',
      ),
    ) as unknown[];

  it('is no other decision because of that (design 4, promise 6)', () => {
    for (const [i, old] of golden('decision.v1.json').entries()) {
      const stored = old as DecisionRecord;
      const { version: _v, ...content } = golden('decision.v2.json')[i] as DecisionRecord;
      expect(next(stored, content)).to.equal(undefined);
      const changed = next(stored, { ...content, flags: ['user-differs'] });
      expect(changed).to.include({ version: stored.version + 1, schemaVersion: 2 });
    }
  });

  it('is a fact with the same key and the same decision', () => {
    for (const old of golden('event.v1.json') as EventRecord[]) {
      const lifted = eventCodec.decode(Buffer.from(JSON.stringify(old)));
      if (lifted.outcome !== 'record') throw new Error(lifted.outcome);
      expect(undecidedOn(toFact(old))).to.deep.equal(undecidedOn(toFact(lifted.value)));
    }
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

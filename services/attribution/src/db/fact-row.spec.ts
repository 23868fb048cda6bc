import { readFileSync } from 'node:fs';
import { arrivals } from '@tributary/attribution-fold/testing/arbitraries';
import { toFact } from '@tributary/attribution-fold/fact';
import { eventCodec, type EventRecord } from '@tributary/contracts/event-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { fromRow, toReported } from './fact-row.ts';

function rowOf(event: EventRecord, reported: unknown) {
  const columns = { event_id: event.eventId, tenant_id: event.tenantId, ucc: event.ucc };
  return {
    ...{ ...columns, new_user_id: event.newUser.id, business_key: toFact(event).businessKey },
    reported: JSON.parse(JSON.stringify(reported)) as ReturnType<typeof toReported>,
  };
}

describe('the row of a fact', () => {
  it('gives back every fact as it came', () => {
    fc.assert(
      fc.property(arrivals, ({ order }) => {
        for (const { topic, record } of order) {
          if (topic !== 'events') continue;
          const fact = toFact(record);
          expect(fromRow(rowOf(fact.event, toReported(fact.event)))).to.deep.equal(fact);
        }
      }),
    );
  });

  it('gives back events of every schema, and members that this release does not know', () => {
    for (const version of [1, 2, 3]) {
      for (const old of golden(version)) {
        const decoded = eventCodec.decode(Buffer.from(JSON.stringify(old)));
        if (decoded.outcome !== 'record') throw new Error(decoded.outcome);
        const { event } = toFact(decoded.value);
        const more = { ...event, more: 1, newUser: { ...event.newUser, more: [2] } };
        for (const one of [event, more]) {
          expect(fromRow(rowOf(one, toReported(one))).event).to.deep.equal(one);
        }
      }
    }
  });

  it('has no member twice', () => {
    const { event } = toFact(golden(3)[0]!);
    const reported = JSON.stringify(toReported(event));
    for (const id of [event.eventId, event.tenantId, event.newUser.id, event.ucc]) {
      expect(reported).to.not.include(`"${id}"`);
    }
  });

  it('of the release before, which is the whole event, is read', () => {
    const fact = toFact(golden(3)[0]!);
    expect(fromRow(rowOf(fact.event, fact.event))).to.deep.equal(fact);
  });
});

function golden(version: number): EventRecord[] {
  const url = new URL(
    `../../../../packages/contracts/golden/event.v${version}.json`,
    import.meta.url,
  );
  return JSON.parse(readFileSync(url, 'utf8')) as EventRecord[];
}

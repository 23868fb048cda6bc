import { expect } from 'chai';
import { warningsOf } from './warning.ts';

const minute = 60_000;
const day = 86_400_000;
const receivedAtMs = Date.parse('2026-06-01T12:00:00.000Z');
const warn = (occurredAtMs: number, body: Record<string, unknown> = {}) =>
  warningsOf({ occurredAtMs, receivedAtMs, backdatingWindowDays: 90, body });
const codes = (occurredAtMs: number) => warn(occurredAtMs).map(({ code }) => code);

describe('warnings (interface 2.7)', () => {
  it('says nothing about an event of now', () => {
    expect(warn(receivedAtMs)).to.eql([]);
  });

  it('warns from more than five minutes ahead (rule 1)', () => {
    expect(codes(receivedAtMs + 5 * minute)).to.eql([]);
    expect(codes(receivedAtMs + 5 * minute + 0.001)).to.eql(['OCCURRED_AT_IN_FUTURE']);
  });

  it('warns from older than the backdating window (rule 2)', () => {
    expect(codes(receivedAtMs - 90 * day)).to.eql([]);
    expect(codes(receivedAtMs - 90 * day - 0.001)).to.eql(['OCCURRED_AT_BACKDATED']);
  });

  it('points at each field that nothing uses yet (rule 3), never at one that is used', () => {
    const body = {
      idempotencyKey: 'k',
      newUser: { id: 'u', name: 'n', organizationId: 'o' },
      subscription: { id: 's', interval: 'monthly', seatsUsed: 0, productKey: 'p' },
    };
    expect(warn(receivedAtMs, body).map(({ code, pointer }) => [code, pointer])).to.eql([
      ['FIELD_NOT_YET_HONOURED', '/newUser/organizationId'],
      ['FIELD_NOT_YET_HONOURED', '/subscription/id'],
    ]);
  });
});

import { expect } from 'chai';
import { eventOf, messageOf, payment, warningsOf } from '../testing/envelopes.ts';

const at = (timestamp: unknown) => payment({ event: { timestamp } });

describe('context.event.timestamp (4.4, design 8)', () => {
  it('takes a timestamp without an offset for UTC, with a space or a T', () => {
    for (const timestamp of ['2026-03-01 10:00:00', '2026-03-01T10:00:00']) {
      expect(eventOf(at(timestamp))).to.include({
        occurredAt: '2026-03-01T10:00:00Z',
        occurredAtSeconds: '1772359200',
        occurredAtRaw: timestamp,
      });
    }
  });

  it('keeps a timestamp of the v2 form exactly, of any length', () => {
    for (const timestamp of [
      '2026-03-01t10:00:00.50-00:00',
      `2026-03-01T10:00:00.${'7'.repeat(40_000)}Z`,
    ]) {
      expect(eventOf(at(timestamp)).occurredAt).to.equal(timestamp);
      expect(eventOf(at(timestamp))).to.not.have.property('occurredAtRaw');
    }
  });

  it('takes the time of receipt when there is none, with a warning', () => {
    for (const timestamp of [undefined, null, '']) {
      expect(eventOf(at(timestamp))).to.include({
        occurredAt: '2026-03-01T12:00:00.000Z',
        occurredAtRaw: '',
      });
      expect(warningsOf(at(timestamp))).to.deep.equal([
        ['OCCURRED_AT_MISSING', '/context/event/timestamp'],
      ]);
    }
  });

  it('refuses what is no date and time', () => {
    for (const timestamp of ['yesterday', 1772359200, '1772359200', true, {}, '2026-02-29', ' ']) {
      expect(messageOf(at(timestamp))).to.match(/^context\.event\.timestamp/);
    }
  });

  it('warns about times ahead and long past, at the legacy pointer (2.7)', () => {
    const ahead = warningsOf(at('2026-03-01T12:05:00.001Z'));
    const past = warningsOf(at('2025-11-30 11:59:59'));
    expect([...ahead, ...past]).to.deep.equal([
      ['OCCURRED_AT_IN_FUTURE', '/context/event/timestamp'],
      ['OCCURRED_AT_BACKDATED', '/context/event/timestamp'],
    ]);
    expect(warningsOf(at('2026-03-01 12:05:00'))).to.deep.equal([]);
    expect(warningsOf(at('2025-12-01 12:00:00'))).to.deep.equal([]);
  });
});

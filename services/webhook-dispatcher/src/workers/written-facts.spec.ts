import { expect } from 'chai';
import { delivered } from '../testing/facts.ts';
import { createWrittenFacts } from './written-facts.ts';

describe('written facts', () => {
  it('are known once: a second copy on the log is looked at', () => {
    const written = createWrittenFacts();
    written.add(delivered('a'));
    expect(written.take(delivered('b'))).to.equal(false);
    expect(written.take(delivered('a'))).to.equal(true);
    expect(written.take(delivered('a'))).to.equal(false);
  });

  it('are not mistaken for another fact of the same delivery', () => {
    const written = createWrittenFacts();
    written.add(delivered('a'));
    for (const other of [
      delivered('a', { attempt: 2, step: 1 }),
      delivered('a', { round: 1 }),
      delivered('a', { outcome: 'failed' }),
      delivered('a', { startedAt: '2026-01-01T00:00:00.001Z' }),
    ]) {
      expect(written.take(other)).to.equal(false);
    }
    expect(written.take(delivered('a'))).to.equal(true);
  });

  it('are forgotten, the oldest first, where nobody asks for them', () => {
    const written = createWrittenFacts();
    written.add(delivered('first'));
    for (let n = 0; n < 20_000; n++) written.add(delivered('a', { webhookEventId: String(n) }));
    expect(written.take(delivered('first'))).to.equal(false);
    expect(written.take(delivered('a', { webhookEventId: '0' }))).to.equal(true);
  });
});

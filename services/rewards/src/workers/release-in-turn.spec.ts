import { expect } from 'chai';
import type { DueAmong } from '../db/recipients.ts';
import type { ReleaseOutcome } from './release-due.ts';
import { createReleaseInTurn } from './release-in-turn.ts';

const released = (hasMore: boolean): ReleaseOutcome => ({
  ...{ outcome: 'released', recipients: 1, rewards: 1, issuances: 1 },
  hasMore,
});

describe('whom a process releases', () => {
  let asked: DueAmong[];
  beforeEach(() => (asked = []));

  function releaseWith(options: { anybodyEveryMs: number; held?: readonly number[] }) {
    const { anybodyEveryMs, held = [3, 4] } = options;
    const outcomes = [released(true), released(false)];
    return createReleaseInTurn({
      anybodyEveryMs,
      release: (among) => {
        asked.push(among);
        return Promise.resolve(outcomes.shift() ?? { outcome: 'nothing-due' });
      },
      betweenBatches: async (work) => (held.length === 0 ? undefined : work(held)),
    });
  }

  it('is whom it folds, between its batches', async () => {
    const release = releaseWith({ anybodyEveryMs: 60_000 });
    expect(await release()).to.deep.equal(released(true));
    await release();
    expect(asked).to.deep.equal([{ partitions: [3, 4] }, { partitions: [3, 4] }]);
  });

  it('is nobody while it holds no partition', async () => {
    const release = releaseWith({ anybodyEveryMs: 60_000, held: [] });
    expect(await release()).to.deep.equal({ outcome: 'nothing-due' });
    expect(asked).to.deep.equal([]);
  });

  it('is anybody whom nobody has released for a while, until none is left', async () => {
    const release = releaseWith({ anybodyEveryMs: 0, held: [] });
    expect(await release()).to.deep.equal(released(true));
    expect(await release()).to.deep.equal(released(false));
    expect(asked).to.deep.equal([{ forMs: 0 }, { forMs: 0 }]);
  });
});

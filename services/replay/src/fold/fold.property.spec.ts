import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arrivals } from '@tributary/attribution-fold/testing/arbitraries';
import { foldVersions } from '@tributary/attribution-fold/fold-version';
import type { History } from '@tributary/attribution-fold/decide-from-scratch';
import { createSetHash } from '@tributary/contracts/state-hash';
import { revisions as rewardRevisions } from '@tributary/rewards-fold/testing/arbitrary';
import { expect } from 'chai';
import fc from 'fast-check';
import { createFileStore } from './store/file-store.ts';
import { expectedState } from './testing/expected-state.ts';
import { foldInMemory } from './testing/fold-in-memory.ts';

const shapes = fc.record({
  shards: fc.integer({ min: 1, max: 9 }),
  buckets: fc.integer({ min: 1, max: 4 }),
});

/** Worlds in which users, codes and invoices meet, with rules that pay both sides. */
const worlds = fc
  .record({
    sets: arrivals.map(({ sets }) => sets),
    rules: rewardRevisions,
    foldVersion: fc.constantFrom(...foldVersions),
  })
  .map(({ sets, rules, foldVersion }): History => {
    const rulesOf = (campaignId: string, revision: number) =>
      rules.find((r) => r.campaignId === campaignId && r.revision === revision) ?? rules[0]!;
    return {
      ...sets,
      foldVersion,
      revisions: sets.revisions.map((revision) => {
        const { rules, creditScale } = rulesOf(revision.campaignId, revision.revision);
        return { ...revision, rules, creditScale };
      }),
    };
  });

function hashOf(lines: readonly string[]) {
  const hash = createSetHash();
  for (const line of lines) hash.add(line);
  return hash.value();
}

describe('a fold in pieces', () => {
  it('comes to what the definitions of both folds say, in any number of pieces', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, shapes, async (world, shape) => {
        const expected = expectedState(world);
        const { decisions, rewards, tally } = await foldInMemory(world, shape);
        expect(decisions).to.deep.equal(expected.decisions);
        expect(rewards).to.deep.equal(expected.rewards);
        expect(tally.tenants['t1']?.decisions).to.deep.equal(hashOf(decisions));
      }),
      { numRuns: 400 },
    );
  });

  it('comes to the same where the widget has told a signup again, by another link (decision 15)', async () => {
    const links = fc.constantFrom('code-a', 'code-b', 'Derived0001');
    await fc.assert(
      fc.asyncProperty(worlds, shapes, links, async (world, shape, ucc) => {
        const recovered = world.events.filter(({ source }) => source === 'widget');
        const again = recovered.map((event) => ({
          ...event,
          ucc,
          occurredAt: '0000-01-01T00:00:00Z',
          occurredAtSeconds: '-62167219200',
        }));
        const given = { ...world, events: [...world.events, ...again] };
        const expected = expectedState(world);
        const { decisions, rewards } = await foldInMemory(given, shape);
        expect(decisions).to.deep.equal(expected.decisions);
        expect(rewards).to.deep.equal(expected.rewards);
      }),
      { numRuns: 400 },
    );
  });

  it('comes to the same with files', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, shapes, async (world, shape) => {
        const dir = mkdtempSync(join(tmpdir(), 'fold-'));
        try {
          const storeIn = (name: string) =>
            createFileStore({ dir: join(dir, name), part: 1, parts: 3, bufferBytes: 5_000 });
          const stores = { log: storeIn('log'), store: storeIn('fold') };
          const inFiles = await foldInMemory(world, shape, { stores });
          const atOnce = await foldInMemory(world, { shards: 1, buckets: 1 });
          expect(inFiles.decisions).to.deep.equal(atOnce.decisions);
          expect(inFiles.rewards).to.deep.equal(atOnce.rewards);
          expect(inFiles.tally.tenants).to.deep.equal(atOnce.tally.tenants);
        } finally {
          rmSync(dir, { recursive: true });
        }
      }),
      { numRuns: 30 },
    );
  });
}).timeout(120_000);

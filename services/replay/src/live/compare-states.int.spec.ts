import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSetHash } from '@tributary/contracts/state-hash';
import { type StateLine, toLine } from '@tributary/contracts/state-item';
import { expect } from 'chai';
import { compareStates } from './compare-states.ts';
import type { LineDifference, LineFile } from '../domain/live-state.ts';

const tenants = ['t1', 't2'];

/** Decision, reward and recipient of number `n`. */
function linesOf(n: number): StateLine[] {
  const tenantId = tenants[n % 2]!;
  const recipientId = `anna ${n}`;
  return [
    { kind: 'decision', tenantId, newUserId: `user-${n}`, eventId: `event-${n}`, digest: `d${n}` },
    {
      ...{ kind: 'reward', tenantId, recipientId, rewardId: `reward-${n}`, campaignId: 'c1' },
      ...{ ruleId: 'r1', recipientRole: 'referrer', month: '2026-03', entitled: '10' },
      ...{ issued: '10', state: 'issued', digest: `r${n}` },
    },
    { kind: 'recipient', tenantId, recipientId, entitled: '10', issued: '10', owed: '0' },
  ];
}

describe('comparison of two states', () => {
  let dir: string;
  let files = 0;

  before(async () => (dir = await mkdtemp(join(tmpdir(), 'tributary-compare-'))));
  after(() => rm(dir, { recursive: true, force: true }));

  async function fileOf(lines: readonly StateLine[]): Promise<LineFile> {
    const path = join(dir, `${(files += 1)}.ndjson`);
    await writeFile(path, lines.map((line) => `${toLine(line)}\n`).join(''));
    return { path, lines: lines.length };
  }

  async function compare(live: readonly StateLine[], replayed: readonly StateLine[]) {
    const differences: LineDifference[] = [];
    const half = Math.floor(replayed.length / 3);
    const comparison = await compareStates({
      live: [await fileOf(live)],
      replayed: [await fileOf(replayed.slice(half)), await fileOf(replayed.slice(0, half))],
      dir,
      signal: new AbortController().signal,
      onDifference: (difference) => void differences.push(difference),
    });
    expect(comparison.differences).to.equal(differences.length);
    return { comparison, differences };
  }

  const world = (size: number) => Array.from({ length: size }, (_, n) => linesOf(n)).flat();

  it('are identical in any order, and each tenant has the hashes of its lines', async () => {
    const lines = world(500);
    const { comparison } = await compare(lines, lines.toReversed());
    expect(comparison).to.include({ identical: true, differences: 0 });
    const expected = createSetHash();
    for (const line of lines) {
      if (line.kind === 'decision' && line.tenantId === 't2') expected.add(toLine(line));
    }
    const [first, second] = comparison.tenants;
    expect([first?.tenantId, second?.tenantId]).to.deep.equal(tenants);
    expect(second?.live.decisions).to.deep.equal(expected.value());
    expect(second?.replayed).to.deep.equal(second?.live);
  });

  it('do not differ by the state of a reward, which is history', async () => {
    const lines = world(10);
    const held = lines.map((line) =>
      line.kind === 'reward' ? { ...line, state: 'held' as const } : line,
    );
    expect((await compare(lines, held)).comparison.identical).to.equal(true);
  });

  it('names the one item that differs, that is missing, or that is too many', async () => {
    const lines = world(2_000);
    for (const n of [7, 2_900, 4_444]) {
      const line = lines[n]!;
      const other =
        line.kind === 'recipient' ? { ...line, owed: '1' } : { ...line, digest: 'another' };
      const changed = lines.with(n, other);
      const difference = { live: other, replayed: line };
      expect((await compare(changed, lines)).differences).to.deep.equal([difference]);
      const without = lines.toSpliced(n, 1);
      expect((await compare(without, lines)).differences).to.deep.equal([
        { live: null, replayed: line },
      ]);
      const { comparison, differences } = await compare(lines, without);
      expect(differences).to.deep.equal([{ live: line, replayed: null }]);
      const differing = comparison.tenants.filter(({ identical }) => !identical);
      expect(differing.map(({ tenantId }) => tenantId)).to.deep.equal([line.tenantId]);
    }
  });

  it('tells of a tenant that only one side has', async () => {
    const { comparison, differences } = await compare(linesOf(1), []);
    expect(differences).to.have.length(3);
    expect(comparison.tenants).to.have.length(1);
    expect(comparison.tenants[0]?.replayed.rewards).to.deep.equal(createSetHash().value());
  });

  it('takes more differences than fit in one part, and leaves no file behind', async () => {
    const lines = world(80_000);
    const changed = lines.map((line) =>
      line.kind === 'reward' ? { ...line, entitled: '11' } : line,
    );
    const { differences } = await compare(changed, lines);
    expect(differences).to.have.length(80_000);
    const ids = differences.map(({ live }) => (live?.kind === 'reward' ? live.rewardId : ''));
    expect(new Set(ids).size).to.equal(80_000);
    expect(await readdir(dir)).to.not.include('differences');
  });

  it('gives up when it is told to', async () => {
    const asked = new AbortController();
    const working = compareStates({
      live: [await fileOf(world(20_000))],
      replayed: [],
      dir,
      signal: asked.signal,
      onDifference: () => asked.abort(),
    });
    const error: unknown = await working.catch((reason: unknown) => reason);
    expect(error).to.have.property('name', 'AbortError');
    expect(await readdir(dir)).to.not.include('differences');
  });
});

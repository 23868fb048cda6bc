import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { chunksOf } from './chunks.ts';
import { runInLanes } from './lanes.ts';

describe('chunks of files', () => {
  const seconds: Record<string, number> = {
    'a/1': 3,
    'a/2': 4,
    'b/3': 40,
    'b/4': 5,
    'c/5': 1,
    'c/6': 9,
  };
  const files = Object.keys(seconds);
  const secondsOf = (file: string) => seconds[file] ?? 0;
  const namesOf = (chunks: { files: readonly string[] }[]) => chunks.map((chunk) => chunk.files);

  it('hold neighbours that take a while together, the longest first', () => {
    expect(namesOf(chunksOf(files, { secondsOf, most: 10 }))).to.deep.equal([
      ['b/3'],
      ['c/6'],
      ['a/1', 'a/2'],
      ['b/4', 'c/5'],
    ]);
  });

  it('hold every file once, however long each takes', () => {
    for (const most of [0, 1, 10, 1_000]) {
      const all = chunksOf(files, { secondsOf, most, together: ['c'], isApart: (f) => f > 'b/3' });
      expect(all.flatMap((chunk) => chunk.files).sort(), String(most)).to.deep.equal(files);
    }
  });

  it('do not part what shares a system, nor join what runs apart with others', () => {
    const isApart = (file: string) => file === 'a/2' || file === 'b/4';
    const chunks = chunksOf(files, { secondsOf, most: 50, together: ['c'], isApart });
    expect(chunks).to.deep.equal([
      { files: ['a/1', 'b/3'], apart: false },
      { files: ['c/5', 'c/6'], apart: false },
      { files: ['a/2', 'b/4'], apart: true },
    ]);
  });
});

describe('lanes', () => {
  type Job = { name: string; apart?: boolean };
  const never = new AbortController().signal;

  it('run each chunk once, as many at a time as there are lanes', async () => {
    let running = 0;
    let most = 0;
    const jobs = Array.from({ length: 10 }, (_, i): Job => ({ name: String(i) }));
    const run = async ({ name }: Job) => {
      most = Math.max(most, (running += 1));
      await delay(2);
      running -= 1;
      return name;
    };
    const results = await runInLanes(jobs, 3, run, never);
    expect(results.sort()).to.deep.equal(jobs.map(({ name }) => name));
    expect(most).to.equal(3);
  });

  it('run those apart one at a time and at once, beside the others', async () => {
    const begun: string[] = [];
    let apart = 0;
    const jobs: Job[] = ['a', 'b', 'X', 'c', 'Y', 'Z'].map((name) => {
      return { name, apart: name < 'a' };
    });
    const run = async (job: Job) => {
      begun.push(job.name);
      if (job.apart) expect((apart += 1)).to.equal(1);
      await delay(2);
      if (job.apart) apart -= 1;
    };
    await runInLanes(jobs, 3, run, never);
    expect(begun.slice(0, 3)).to.have.members(['X', 'a', 'b']);
    expect(begun).to.have.members(['a', 'b', 'c', 'X', 'Y', 'Z']);
  });

  it('begin nothing more once the run is interrupted', async () => {
    const interrupt = new AbortController();
    const begun: string[] = [];
    const run = async ({ name }: Job) => {
      begun.push(name);
      interrupt.abort();
    };
    await runInLanes([{ name: 'a' }, { name: 'b' }], 1, run, interrupt.signal);
    expect(begun).to.deep.equal(['a']);
  });
});

import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@tributary/event-log/testing';
import { foldHistory } from '../../services/replay/src/fold/fold-history.ts';
import { type Watched, watchChildren } from './child-watch.ts';

export type FoldRun = Watched & { events: number; seconds: number; diskBytes: number };

/** One fold of a log, from nothing: reading, both stages, state hashed and written to files. */
export async function runFold(options: {
  kafkaBrokers: string;
  prefix: string;
  progress: (line: string) => void;
  yieldToLive?: () => Promise<boolean>;
}): Promise<FoldRun> {
  const { kafkaBrokers, prefix, progress, yieldToLive } = options;
  const dir = await mkdtemp(join(tmpdir(), 'tributary-bench-fold-'));
  const watch = watchChildren('history/workers/worker.ts');
  let phase = '';
  try {
    const startedAt = performance.now();
    const folded = await foldHistory({
      dir,
      log: { kafka: { brokers: kafkaBrokers.split(',') }, prefix },
      until: {},
      yieldToLive,
      signal: new AbortController().signal,
      logger: silentLogger,
      onProgress(reported) {
        if (reported.phase === phase) return;
        phase = reported.phase;
        progress(`${phase} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
      },
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    return { ...watch.stop(), events: folded.events, seconds, diskBytes: await bytesIn(dir) };
  } finally {
    watch.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

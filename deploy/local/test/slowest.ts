import type { Timing } from './stage-files.ts';

/** The tests and hooks that took longest in all of a run, one a line. */
export function printSlowest(timings: readonly Timing[], count = 10): string {
  return [...addUp(timings)]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map(({ file, title, ms }) => `${seconds(ms)} s  ${file}\n           ${title}\n`)
    .join('');
}

/** A hook before each test stands there as often as it ran. */
function addUp(timings: readonly Timing[]): Timing[] {
  const sums = new Map<string, Timing>();
  for (const { file, title: full, ms } of timings) {
    // Mocha says for which test a hook ran.
    const title = full.replace(/(" hook(?:: [^"]*)?) for "[\s\S]*"$/, '$1');
    const key = JSON.stringify([file, title]);
    sums.set(key, { file, title, ms: (sums.get(key)?.ms ?? 0) + ms });
  }
  return [...sums.values()];
}

/** What each file took, in whole seconds. */
export function secondsByFile(timings: readonly Timing[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { file, ms } of timings) sums.set(file, (sums.get(file) ?? 0) + ms);
  return new Map([...sums].map(([file, ms]) => [file, Math.round(ms / 1_000)]));
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1).padStart(7);
}

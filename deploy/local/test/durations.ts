import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// How long each file of specs took when it was noted last, in seconds, so that the longest begin
// first. It only orders: what it has wrong makes a run longer, not another. Written by
// `npm test -- --note-durations`.

export type Durations = Readonly<Record<string, number>>;

const table = join(import.meta.dirname, 'durations.json');

export function readDurations(): Durations {
  return JSON.parse(readFileSync(table, 'utf8')) as Durations;
}

/** Replaces those of the files that ran, and leaves out what is no longer in the tree. */
export function noteDurations(noted: ReadonlyMap<string, number>): void {
  const all = Object.entries({ ...readDurations(), ...Object.fromEntries(noted) })
    .filter(([file]) => file.endsWith('.spec.ts') && existsSync(file))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(table, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

/** A file that nobody has measured is taken for one that is as slow as it is long. */
export function secondsOf(file: string, durations: Durations): number {
  return durations[file] ?? statSync(file).size / bytesPerSecond;
}

const bytesPerSecond = 2_000;

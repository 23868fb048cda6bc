import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from './failure.ts';

// What a mocha process leaves for the test runner, in a directory of its own: written as things
// happen, so that a process which crashes or is killed has still told what came before.

export type Progress = { passed: number; running: string };

/** What a test or hook took; a hook that ran before each test, as often as it ran. */
export type Timing = { file: string; title: string; ms: number };

const files = {
  progress: 'progress.json',
  failures: 'failures.jsonl',
  timings: 'timings.jsonl',
  ended: 'ended',
  alive: 'alive.txt',
};

export function writeProgress(dir: string, progress: Progress): void {
  writeFileSync(join(dir, files.progress), JSON.stringify(progress));
}

export function readProgress(dir: string): Progress {
  const text = readOr('{"passed":0,"running":""}', join(dir, files.progress));
  return JSON.parse(text) as Progress;
}

export function appendFailure(dir: string, failure: Failure): void {
  appendFileSync(join(dir, files.failures), `${JSON.stringify(failure)}\n`);
}

export function readFailures(dir: string): Failure[] {
  return readLines<Failure>(join(dir, files.failures));
}

export function appendTiming(dir: string, timing: Timing): void {
  appendFileSync(join(dir, files.timings), `${JSON.stringify(timing)}\n`);
}

export function readTimings(dir: string): Timing[] {
  return readLines<Timing>(join(dir, files.timings));
}

export function markEnded(dir: string): void {
  writeFileSync(join(dir, files.ended), '');
}

export function hasEnded(dir: string): boolean {
  return existsSync(join(dir, files.ended));
}

/** What kept the process alive some seconds after its tests, when it did not end by itself. */
export function writeAlive(dir: string, text: string): void {
  writeFileSync(join(dir, files.alive), text);
}

export function readAlive(dir: string): string {
  return readOr('', join(dir, files.alive));
}

function readLines<T>(file: string): T[] {
  const lines = readOr('', file).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

function readOr(otherwise: string, file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : otherwise;
}

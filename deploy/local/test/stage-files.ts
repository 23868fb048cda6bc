import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from './failure.ts';

// What a mocha process leaves for the test runner, in a directory of its own: written as things
// happen, so that a process which crashes or is killed has still told what came before.

export type Progress = { passed: number; running: string };

const files = {
  progress: 'progress.json',
  failures: 'failures.jsonl',
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
  const lines = readOr('', join(dir, files.failures)).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Failure);
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

function readOr(otherwise: string, file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : otherwise;
}

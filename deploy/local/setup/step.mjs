import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cache } from './places.mjs';

/** A failure that a person can do something about: it is shown without a stack. */
export class SetUpError extends Error {}

export function explain(error) {
  return error instanceof SetUpError ? `set-up: ${error.message}` : String(error?.stack ?? error);
}

/** Does one step with one line on stderr: what is done, then how long it took. */
export async function step(what, work) {
  const startedAt = Date.now();
  process.stderr.write(`set-up: ${what} ... `);
  try {
    const result = await work();
    process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
    return result;
  } catch (error) {
    process.stderr.write('failed\n');
    throw error;
  }
}

const shownLines = 20;

/** Runs a command with its output in a log file of the cache; the end of it is in the error. */
export async function runLogged(logName, command, args, options = {}) {
  const logFile = join(cache, 'log', `${logName}.log`);
  mkdirSync(join(cache, 'log'), { recursive: true });
  const log = createWriteStream(logFile);
  const { code, problem } = await new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (data) => log.write(data));
    child.stderr.on('data', (data) => log.write(data));
    child.once('error', (error) => resolve({ code: -1, problem: error.message }));
    child.once('close', (status) => resolve({ code: status }));
  });
  await new Promise((closed) => log.end(closed));
  if (code === 0) return;
  const tail = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-shownLines);
  throw new SetUpError(
    `${command} ${args[0] ?? ''} failed (${problem ?? `exit code ${code}`}); all of its output is in ` +
      `${logFile}, it ends with:\n${tail.join('\n')}`,
  );
}

/** True when a command runs and exits with 0. */
export function succeeds(command, args, { timeoutMs = 10_000 } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', timeout: timeoutMs });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}

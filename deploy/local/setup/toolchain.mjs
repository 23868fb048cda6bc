import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cache } from './places.mjs';
import { runLogged, step } from './step.mjs';

const nodeVersion = '24.21.0';
const pnpmVersion = '12.21.0';

const home = join(cache, `node-${nodeVersion}-pnpm-${pnpmVersion}`);

/** Node 24 and pnpm 12 of our own, whatever Node this machine has. */
export function findToolchain() {
  const node = join(home, 'node_modules', 'node', 'bin', 'node');
  const pnpm = join(home, 'node_modules', '.bin', 'pnpm');
  return existsSync(node) && existsSync(pnpm) ? { node, pnpm } : undefined;
}

export async function installToolchain() {
  await step(`Node ${nodeVersion} and pnpm ${pnpmVersion}`, async () => {
    const unfinished = `${home}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    const packages = [`node@${nodeVersion}`, `pnpm@${pnpmVersion}`];
    const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--prefix', unfinished];
    await runLogged('npm', 'npm', ['install', ...flags, ...packages], {
      cwd: unfinished,
      env: withoutNpmPlaces(process.env),
    });
    rmSync(home, { recursive: true, force: true });
    renameSync(unfinished, home);
  });
}

/**
 * Under `npm start` npm tells its children where it stands; another npm or pnpm, called from here,
 * would take that for its own setting. What the user has set (registry, proxy, CA) stays.
 */
export function withoutNpmPlaces(env) {
  const places = /^npm_(config_(global_|local_)?prefix|config_user_agent|package_|lifecycle_)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !places.test(name)));
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { checkout } from './places.mjs';
import { runLogged, step } from './step.mjs';
import { withoutNpmPlaces } from './toolchain.mjs';

// node_modules says in a stamp which lockfile it was installed from, so that a run after a pull
// installs and every other run does not even start pnpm.
const stamp = join(checkout, 'node_modules', '.tributary-lockfile');

export function dependenciesAreThere() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfileDigest();
}

export async function installDependencies({ node, pnpm }) {
  await step('dependencies (pnpm install)', async () => {
    const env = withoutNpmPlaces(process.env);
    await runLogged('pnpm', pnpm, ['install', '--frozen-lockfile'], {
      cwd: checkout,
      // CI: never ask, e.g. whether an older node_modules may be replaced.
      env: { ...env, CI: 'true', PATH: [dirname(node), env.PATH].join(delimiter) },
    });
    writeFileSync(stamp, lockfileDigest());
  });
}

function lockfileDigest() {
  const digest = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
    digest.update(readFileSync(join(checkout, file)));
  }
  return digest.digest('hex');
}

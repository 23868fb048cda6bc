import { mkdirSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { dependenciesAreThere, installDependencies } from './dependencies.mjs';
import { chooseInfrastructure } from './infrastructure.mjs';
import { withInstallLock } from './install-lock.mjs';
import { kafkaArchiveIsThere, makeKafkaArchive } from './kafka-archive.mjs';
import { installNative, missingNative, missingTools, requireInstallable } from './native.mjs';
import { cache } from './places.mjs';
import { findToolchain, installToolchain } from './toolchain.mjs';

/**
 * Installs what is missing and gives the Node to run the command with and its environment. The
 * checks alone take a few milliseconds; the lock is taken only when there is work.
 */
export async function setUp({ servers, tools, preferEngine }) {
  mkdirSync(cache, { recursive: true });
  const infrastructure = servers ? await chooseInfrastructure() : undefined;
  const lookForMissing = async () => [
    ...(infrastructure === 'native' ? await missingNative() : []),
    ...missingTools(tools),
  ];
  await requireInstallable(missingTools(tools));

  if (
    findToolchain() === undefined ||
    !dependenciesAreThere() ||
    (await lookForMissing()).length > 0
  ) {
    await withInstallLock(() => installAll(lookForMissing));
  }

  const { node, pnpm } = findToolchain();
  const isMissing = infrastructure === 'native' && !kafkaArchiveIsThere();
  if (isMissing) await withInstallLock(() => makeArchive(node));
  // nginx lives in /usr/sbin, which is not on the PATH of everybody.
  const path = [dirname(node), dirname(pnpm), process.env.PATH, '/usr/sbin'].join(delimiter);
  return {
    node,
    env: { ...process.env, PATH: path, ...infrastructureFor(infrastructure, preferEngine) },
  };
}

/** Looks again at everything: another set-up may have done it while this one waited. */
async function installAll(lookForMissing) {
  if (findToolchain() === undefined) await installToolchain();
  if (!dependenciesAreThere()) await installDependencies(findToolchain());
  const missing = await lookForMissing();
  if (missing.length > 0) await installNative(missing);
}

async function makeArchive(node) {
  if (!kafkaArchiveIsThere()) await makeKafkaArchive(node, process.env);
}

/**
 * The command hears which way was chosen. Tests choose for themselves, containers first, so they
 * hear only what leaves no choice: native servers were asked for, or cannot be had.
 */
function infrastructureFor(infrastructure, preferEngine) {
  if (infrastructure === undefined) return {};
  if (preferEngine && infrastructure === 'native') return {};
  return { TRIBUTARY_INFRA: infrastructure };
}

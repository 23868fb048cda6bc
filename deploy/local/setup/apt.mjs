import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache } from './places.mjs';
import { isOnPath } from './programs.mjs';
import { runLogged, step, succeeds } from './step.mjs';

/** Undefined when packages can be installed here, otherwise why not. */
export async function canUseApt() {
  if (!existsSync('/etc/debian_version') || !isOnPath('apt-get')) {
    return 'they can be installed by this script on Debian and Ubuntu only';
  }
  if (isRoot() || (await succeeds('sudo', ['-n', 'true']))) return undefined;
  return 'installing them needs root, or sudo without a password';
}

export async function aptInstall(packages) {
  await step(`Debian packages: ${packages.join(', ')}`, async () => {
    // A third-party source that does not answer is no reason to stop.
    await asRoot('apt-update', 'apt-get', ['update']).catch(() => undefined);
    await withoutStartingServices(() =>
      asRoot('apt-install', 'env', [
        'DEBIAN_FRONTEND=noninteractive',
        ...['apt-get', 'install', '-y', '--no-install-recommends'],
        ...['-o', 'DPkg::Lock::Timeout=300', ...packages],
      ]),
    );
  });
}

/** Puts the file of a package into a directory; nothing is installed. */
export async function aptDownload(name, dir) {
  await asRoot('apt-update', 'apt-get', ['update']).catch(() => undefined);
  await runLogged('apt-download', 'apt-get', ['download', name], { cwd: dir });
}

const policy = '/usr/sbin/policy-rc.d';

/**
 * Debian's server packages start a system service when they are installed. The servers here are
 * processes of their own on other ports, so for the time of the installation the policy says no;
 * one that the machine already has is respected. Services that run already are not touched.
 */
async function withoutStartingServices(install) {
  if (existsSync(policy)) return install();
  const ours = join(cache, 'policy-rc.d');
  writeFileSync(ours, '#!/bin/sh\nexit 101\n');
  await asRoot('policy', 'install', ['-m', '755', ours, policy]);
  try {
    await install();
  } finally {
    await asRoot('policy', 'rm', ['-f', policy]);
  }
}

function asRoot(logName, command, args) {
  const options = { cwd: '/' };
  if (isRoot()) return runLogged(logName, command, args, options);
  return runLogged(logName, 'sudo', ['-n', command, ...args], options);
}

function isRoot() {
  return process.getuid?.() === 0;
}

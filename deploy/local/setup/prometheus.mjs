import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { aptDownload } from './apt.mjs';
import { cache } from './places.mjs';
import { isOnPath } from './programs.mjs';
import { runLogged, step } from './step.mjs';

/** Where packages/native-servers/src/prometheus.ts looks for it. */
const home = join(cache, 'prometheus');

export function hasPrometheus() {
  const programs = ['prometheus', 'promtool'];
  const isInCache = (name) => existsSync(join(home, 'usr/bin', name));
  return programs.every(isOnPath) || programs.every(isInCache);
}

/**
 * Unpacks the programs of Debian's package instead of installing it: that would start a Prometheus
 * at every boot of the machine, and wants the scripts of its pages.
 */
export async function fetchPrometheus() {
  await step('Prometheus, from its Debian package', async () => {
    const unfinished = join(cache, 'prometheus.new');
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await aptDownload('prometheus', unfinished);
    const archive = readdirSync(unfinished).find((name) => name.endsWith('.deb'));
    await runLogged('prometheus-unpack', 'dpkg', ['-x', archive, '.'], { cwd: unfinished });
    rmSync(join(unfinished, archive));
    rmSync(home, { recursive: true, force: true });
    renameSync(unfinished, home);
  });
}

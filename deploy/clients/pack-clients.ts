import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestSources, packAll } from './archives.ts';

// Makes clients/dist/, which the portal serves below /docs/clients: what customers install. Does
// nothing when it was made of the same sources, so whoever needs it (start, tests, the image) may
// call it.

const clients = join(import.meta.dirname, '../../clients');
const dist = join(clients, 'dist');
const record = join(dist, 'sources.sha256');
const digest = await digestSources();

if ((await readFile(record, 'utf8').catch(() => '')) === digest) {
  process.stdout.write('clients: nothing changed\n');
} else {
  await mkdir(dist, { recursive: true });
  // Each archive is put in place whole: a portal may start meanwhile, or another process do this.
  const draft = await mkdtemp(join(dist, '.new-'));
  try {
    await packAll(draft);
    const names = await readdir(draft);
    for (const name of names) await rename(join(draft, name), join(dist, name));
    const made = /^tributary-.*gz$/;
    const old = (await readdir(dist)).filter((name) => made.test(name) && !names.includes(name));
    for (const name of old) await rm(join(dist, name));
    await writeFile(record, digest);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  process.stdout.write('clients: packed\n');
}

import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** All that the bytes of the scripts come from, relative to the service's folder. */
const sources = [
  'browser/**/*.{ts,tsx,css,svg,json}',
  'build/*.ts',
  'build-assets.ts',
  '../../packages/contracts/src/**/*.ts',
  '../../tsconfig.base.json',
];

/** What is built in, or builds. */
const libraries = ['vite', 'preact', 'lean-qr'];

/** One hash (hex) of every source's name and bytes and of the libraries' versions. */
export async function digestSources(serviceDir: string): Promise<string> {
  const hash = createHash('sha256');
  const files: string[] = [];
  for await (const file of glob(sources, { cwd: serviceDir })) files.push(file);
  for (const file of files.filter((name) => !name.endsWith('.spec.ts')).sort()) {
    const bytes = await readFile(join(serviceDir, file));
    hash.update(`${file}\0${bytes.byteLength}\0`).update(bytes);
  }
  for (const library of libraries)
    hash.update(`${library}@${await versionOf(serviceDir, library)}`);
  return hash.digest('hex');
}

async function versionOf(serviceDir: string, library: string): Promise<string> {
  const manifest = join(serviceDir, 'node_modules', library, 'package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return version;
}

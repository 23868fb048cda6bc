import { createHash } from 'node:crypto';
import { access, glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BuiltFiles } from './build-pages.ts';

/** All that the bytes of the pages come from, relative to the service's folder. */
const sources = [
  'browser/**/*.{ts,tsx,css,svg,json}',
  'build/*.ts',
  'build-assets.ts',
  'package.json',
  '../../packages/contracts/src/**/*.ts',
  '../../packages/admin-client/src/**/*.ts',
  '../../pnpm-lock.yaml',
  '../../tsconfig.base.json',
];

/** One hash (hex) of every source's name and bytes; the lockfile stands for the libraries. */
export async function digestSources(serviceDir: string): Promise<string> {
  const hash = createHash('sha256');
  const files: string[] = [];
  for await (const file of glob(sources, { cwd: serviceDir })) files.push(file);
  for (const file of files.filter((name) => !/\.spec\.tsx?$/.test(name)).sort()) {
    const bytes = await readFile(join(serviceDir, file));
    hash.update(`${file}\0${bytes.byteLength}\0`).update(bytes);
  }
  return hash.digest('hex');
}

const recordName = 'build.json';
type BuildRecord = { digest: string; files: string[] };

/** Whether dist/ holds all that a build of these sources wrote. */
export async function isBuilt(dist: string, digest: string): Promise<boolean> {
  const record = await readRecord(dist);
  if (record?.digest !== digest) return false;
  const there = await Promise.all(record.files.map((file) => exists(join(dist, file))));
  return there.every(Boolean);
}

/**
 * Writes each file whole, the manifest after what it names, since a portal may start meanwhile;
 * then removes what the build before had and this one has not.
 */
export async function recordBuild(dist: string, digest: string, built: BuiltFiles): Promise<void> {
  const before = await readRecord(dist);
  const files = [...built.keys()].sort(
    (a, b) => Number(a === 'manifest.json') - Number(b === 'manifest.json'),
  );
  for (const file of files) await writeWhole(join(dist, file), built.get(file) ?? '');
  const record: BuildRecord = { digest, files };
  await writeWhole(join(dist, recordName), `${JSON.stringify(record, null, 2)}\n`);
  for (const file of before?.files ?? []) {
    if (!built.has(file)) await rm(join(dist, file), { force: true });
  }
}

async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, content);
  await rename(draft, path);
}

async function readRecord(dist: string): Promise<BuildRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(dist, recordName), 'utf8')) as BuildRecord;
  } catch {
    return undefined; // never built, or cut off: built again
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

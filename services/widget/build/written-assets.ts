import { access, glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Path below dist/ → text. */
export type Assets = Map<string, string>;

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
 * Writes the assets over those that are there. Two builds at once, and a server that starts
 * meanwhile, are possible: each file appears whole, chunks before the entries that name them; what
 * is no longer part of the build goes last.
 */
export async function writeAssets(dist: string, digest: string, assets: Assets): Promise<void> {
  const isChunk = (file: string): boolean => file.includes('/chunks/');
  const files = [...assets.keys()].sort((a, b) => Number(isChunk(b)) - Number(isChunk(a)));
  for (const file of files) await writeWhole(join(dist, file), assets.get(file) ?? '');
  const record: BuildRecord = { digest, files };
  await writeWhole(join(dist, recordName), `${JSON.stringify(record, null, 2)}\n`);
  for await (const file of glob('{app,attribution}/**/*.js', { cwd: dist })) {
    if (!assets.has(file)) await rm(join(dist, file), { force: true });
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
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

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../local/state-dir.ts';
import { places } from '../places.ts';
import { imageFiles } from './image-files.ts';
import { type Layer, packLayer, readLayer } from './layer.ts';
import { pathsBelow } from './paths-below.ts';

/** What is built in the checkout before: browser scripts, pages, packed clients. */
const built = ['services/widget/dist', 'services/portal/dist', 'clients/dist'];

/**
 * The production dependencies of the lockfile, which are packed once per lockfile, and the sources
 * of the checkout as they are now. `workDir` is left with the sources in it.
 */
export async function appLayers(workDir: string): Promise<Layer[]> {
  const files = await imageFiles();
  return [await dependencyLayer(workDir, files), await sourceLayer(workDir, files)];
}

async function dependencyLayer(workDir: string, files: readonly string[]): Promise<Layer> {
  const inputs = files.filter(decidesDependencies);
  const hash = createHash('sha256').update(process.version);
  for (const file of inputs) hash.update(file).update(readFileSync(join(repository, file)));
  const packed = join(places.layers, `dependencies-${hash.digest('hex').slice(0, 16)}.tar`);
  if (existsSync(packed)) return readLayer(packed);
  const root = join(workDir, 'dependencies');
  await copyAll(inputs, root);
  const flags = ['--frozen-lockfile', '--prod', '--prefer-offline', '--ignore-scripts'];
  await promisify(execFile)('pnpm', ['install', ...flags], { cwd: root });
  const paths = pathsBelow(root).filter((path) => isDependency(path));
  await mkdir(places.layers, { recursive: true });
  const layer = await packLayer(`${packed}.new`, { root, paths, rename: 's,^,app/,S' });
  await rename(layer.file, packed);
  await rm(root, { recursive: true, force: true });
  return { ...layer, file: packed };
}

function decidesDependencies(file: string): boolean {
  return (
    ['pnpm-lock.yaml', 'pnpm-workspace.yaml'].includes(file) ||
    file.endsWith('package.json') ||
    file.startsWith('patches/')
  );
}

/** Not what pnpm notes about the machine where it ran. */
function isDependency(path: string): boolean {
  const parts = path.split('/');
  const isNote = /^\.(modules\.yaml|pnpm-workspace-state.*)$/.test(parts.at(-1)!);
  return parts.includes('node_modules') && !isNote;
}

async function sourceLayer(workDir: string, files: readonly string[]): Promise<Layer> {
  const root = join(workDir, 'sources');
  const builtFiles = built.flatMap((dir) =>
    pathsBelow(join(repository, dir)).map((path) => `${dir}/${path}`),
  );
  const isFile = (path: string) => !builtFiles.some((other) => other.startsWith(`${path}/`));
  await copyAll([...files, ...builtFiles.filter(isFile)], root);
  const file = join(workDir, 'sources.tar');
  return packLayer(file, { root, paths: pathsBelow(root), rename: 's,^,app/,S' });
}

async function copyAll(files: readonly string[], root: string): Promise<void> {
  await rm(root, { recursive: true, force: true });
  const folders = new Set(files.map((file) => dirname(file)));
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
  for (const file of files) await copyFile(join(repository, file), join(root, file));
}

import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { places } from '../places.ts';
import { type Layer, packLayer, readLayer } from './layer.ts';
import { pathsBelow } from './paths-below.ts';

/** The files of Debian that Node needs, and Node itself as this process is; made once. */
export function baseLayer(): Promise<Layer> {
  return packOnce(`base-${process.version}`, places.imageRoot, async (root) => {
    await mkdir(join(root, 'usr/local/bin'), { recursive: true });
    await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
    await writeUsers(root, { node: 1_000 });
  });
}

/** nginx and the files of Debian that it needs; made once. */
export function edgeLayer(): Promise<Layer> {
  return packOnce('edge', places.edgeRoot, async (root) => {
    await writeUsers(root, { nginx: 101, nobody: 65_534 });
  });
}

/** What of Debian's packages no process reads. */
const unread = ['usr/share/doc', 'usr/share/man', 'usr/share/lintian', 'usr/share/locale'];

async function packOnce(
  name: string,
  root: string,
  complete: (root: string) => Promise<void>,
): Promise<Layer> {
  const file = join(places.layers, `${name}.tar`);
  if (existsSync(file)) return readLayer(file);
  await mkdir(places.layers, { recursive: true });
  await mkdir(join(root, 'tmp'), { recursive: true });
  for (const path of unread) await rm(join(root, path), { recursive: true, force: true });
  await complete(root);
  const options = { root, paths: pathsBelow(root), rename: 's,^\\./,,' };
  const layer = await packLayer(`${file}.new`, options);
  await rename(layer.file, file);
  return { ...layer, file };
}

async function writeUsers(root: string, users: Record<string, number>): Promise<void> {
  const all = Object.entries({ root: 0, ...users });
  const passwd = all.map(([name, id]) => `${name}:x:${id}:${id}::/:\n`);
  const group = all.map(([name, id]) => `${name}:x:${id}:\n`);
  await mkdir(join(root, 'etc'), { recursive: true });
  await writeFile(join(root, 'etc/passwd'), passwd.join(''));
  await writeFile(join(root, 'etc/group'), group.join(''));
}

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '../../packages/client/build/pack.ts';

const checkout = join(import.meta.dirname, '../..');
export const languages = ['python', 'go', 'php'] as const;
export type Language = (typeof languages)[number];

/** All that the archives are made of, relative to the checkout. */
const sources = [
  'clients/{python,go,php}/**/*',
  'deploy/clients/*.ts',
  'packages/client/{package.json,README.md,tsconfig.build.json,build/*.ts,src/**/*.ts}',
  'tsconfig.base.json',
  'pnpm-lock.yaml',
];

export async function digestSources(): Promise<string> {
  const hash = createHash('sha256');
  const files: string[] = [];
  for await (const entry of glob(sources, { cwd: checkout, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !file.includes('__pycache__')) files.push(file);
  }
  for (const file of files.sort()) hash.update(`${file}\0`).update(await readFile(file));
  return hash.digest('hex');
}

export async function clientVersion(): Promise<string> {
  const text = await readFile(join(checkout, 'packages/client/package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

export async function archiveNames(): Promise<string[]> {
  const version = await clientVersion();
  const ofLanguages = languages.map((language) => `tributary-${language}-${version}.tar.gz`);
  return [`tributary-client-${version}.tgz`, ...ofLanguages];
}

/** The archive of one language, with all in one folder that is called like it. */
export async function packLanguage(language: Language, destination: string): Promise<string> {
  const name = `tributary-${language}-${await clientVersion()}`;
  const file = join(destination, `${name}.tar.gz`);
  const flags = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  const without = ['--exclude=__pycache__', '--exclude=*.egg-info', '--exclude=build'];
  const from = ['-C', join(checkout, 'clients', language), `--transform=s,^\\.,${name},`, '.'];
  await promisify(execFile)('tar', [...flags, ...without, '-czf', file, ...from]);
  return file;
}

/** All of them, with the tarball of the TypeScript client. */
export async function packAll(destination: string): Promise<void> {
  await packClient(destination);
  for (const language of languages) await packLanguage(language, destination);
}

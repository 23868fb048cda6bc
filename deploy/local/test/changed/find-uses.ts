import { posix } from 'node:path';
import ts from 'typescript';

/** What is in the tree: files, and the packages that imports name. */
export type Tree = {
  /** Paths from the root of the checkout. */
  files: ReadonlySet<string>;
  /** Import patterns of each package's manifest with the paths they lead to. */
  exports: readonly { from: string; to: string }[];
};

/**
 * The files that a source file uses: what it imports, and every file and folder that its strings
 * name, as programs are started, and pages, fixtures and migrations read, by their paths. Of
 * `dist`, which is not in the tree, it uses the script that makes it. Too many rather than too few:
 * a path whose beginning is not in the string is any that ends so.
 */
export function findUses(file: string, text: string, tree: Tree): Set<string> {
  const found = new Set<string>();
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    const used = importOf(file, fileName, tree);
    if (used !== undefined && tree.files.has(used)) found.add(used);
  }
  for (const path of pathsIn(text)) {
    for (const used of filesNamed(file, path, tree)) found.add(used);
  }
  found.delete(file);
  return found;
}

function importOf(file: string, source: string, { exports }: Tree): string | undefined {
  // A bundler takes what follows for the way in which it is imported: `x.css?inline`.
  const [path = ''] = source.split('?');
  if (path.startsWith('.')) return posix.join(posix.dirname(file), path);
  for (const { from, to } of exports) {
    const [start = '', end] = from.split('*');
    if (end === undefined ? path !== from : !path.startsWith(start)) continue;
    return to.replace('*', path.slice(start.length));
  }
  return undefined;
}

const quoted = /'([^'\s]+)'|"([^"\s]+)"|`([^`\s]+)`/g;
const joined = /import\.meta\.dirname((?:,\s*'[^']*')+)/g;

function pathsIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, one, two, three] of text.matchAll(quoted)) {
    const path = one ?? two ?? three ?? '';
    if (/^[\w@.${}/-]+$/.test(path) && /[./]/.test(path)) found.add(path);
  }
  for (const [, parts = ''] of text.matchAll(joined)) {
    const names = [...parts.matchAll(/'([^']*)'/g)].map(([, name = '']) => name);
    found.add(`./${names.join('/')}`);
  }
  return found;
}

function filesNamed(file: string, path: string, { files }: Tree): string[] {
  const pattern = path.replaceAll(/\$\{[^}]*\}/g, '*');
  const beside = posix.join(posix.dirname(file), pattern);
  const exact = [beside, posix.normalize(pattern)]
    .map((one) => one.replace(/\/dist\/?$/, '/build-assets.ts'))
    .filter((one) => files.has(one));
  if (exact.length > 0) return exact;
  const folder = `${beside.replace(/\/$/, '')}/`;
  const isFolder = /^\.\.?\//.test(path) && !beside.startsWith('..') && folder.includes('/', 1);
  const below = isFolder ? [...files].filter((one) => one.startsWith(folder)) : [];
  if (below.length > 0 || !/\.[a-z]+$/.test(pattern)) return below;
  const named = byName(files).get(posix.basename(pattern)) ?? (isWild(pattern) ? files : []);
  const parts = pattern
    .replace(/^(\.{0,2}\/)+/, '')
    .split('*')
    .map(escape);
  const end = new RegExp(`(^|/)${parts.join('[^/]+')}$`);
  return [...named].filter((one) => end.test(one));
}

function isWild(pattern: string): boolean {
  return posix.basename(pattern).includes('*');
}

const indexes = new WeakMap<Tree['files'], Map<string, string[]>>();

function byName(files: Tree['files']): Map<string, string[]> {
  let index = indexes.get(files);
  if (index === undefined) {
    index = new Map();
    for (const file of files) {
      const name = posix.basename(file);
      index.set(name, [...(index.get(name) ?? []), file]);
    }
    indexes.set(files, index);
  }
  return index;
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

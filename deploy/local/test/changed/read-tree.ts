import { type Dirent, globSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { findUses, type Tree } from './find-uses.ts';

/** Each file with those that it uses. */
export type Uses = ReadonlyMap<string, ReadonlySet<string>>;

/** All files but what is installed, built or made by a run. */
export function listTree(root: string): string[] {
  const exclude = ({ name }: Dirent) => made.has(name);
  return globSync('**/*', { cwd: root, withFileTypes: true, exclude })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

const made = new Set(['node_modules', 'dist', 'coverage']);

export function readUses(root: string, files = listTree(root)): Uses {
  const tree: Tree = { files: new Set(files), exports: exportsOf(root, files) };
  const sources = files.filter((file) => /\.(ts|tsx|mjs|js)$/.test(file));
  return new Map(
    sources.map((file) => [file, findUses(file, readFileSync(join(root, file), 'utf8'), tree)]),
  );
}

function exportsOf(root: string, files: readonly string[]): Tree['exports'] {
  const manifests = files.filter((file) =>
    /^(packages|services)\/[^/]+\/package\.json$/.test(file),
  );
  return manifests.flatMap((manifest) => {
    const { name, exports = {} } = JSON.parse(
      readFileSync(join(root, manifest), 'utf8'),
    ) as Manifest;
    // The longest first, as Node chooses.
    return Object.entries(exports)
      .flatMap(([from, to]) =>
        Object.values(typeof to === 'string' ? [to] : to).map((one) => ({
          from: posix.join(name, from),
          to: posix.join(posix.dirname(manifest), one),
        })),
      )
      .sort((a, b) => b.from.length - a.from.length);
  });
}

/** Under conditions, as the client has them, each may be the one that is loaded. */
type Manifest = { name: string; exports?: Record<string, string | Record<string, string>> };

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findUses, type Tree } from './find-uses.ts';

/** Each file with those that it uses. */
export type Uses = ReadonlyMap<string, ReadonlySet<string>>;

/** All files that git knows or would take, as they are on disk. */
export function listTree(root: string): string[] {
  const listed = git(root, 'ls-files', '--cached', '--others', '--exclude-standard');
  return [...new Set(listed)].filter((file) => existsSync(join(root, file)));
}

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

/** The lines that git prints. */
export function git(root: string, ...args: string[]): string[] {
  const text = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return text.split('\n').filter((line) => line !== '');
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listTree, readUses, type Uses } from './changed/read-tree.ts';

/**
 * A key for each of `files` that is another one when its content changes, or that of any file which
 * it uses, however indirectly, or what holds for all of them: settings, dependencies, ambient
 * types, and the rules of this tree.
 */
export function closureKeys(root: string, files: readonly string[]): Map<string, string> {
  const tree = listTree(root);
  const digests = new Map<string, string>();
  const digestOf = (file: string) => {
    const known = digests.get(file) ?? digest(readFileSync(join(root, file)));
    digests.set(file, known);
    return known;
  };
  const uses = readUses(root, tree);
  const forAll = tree.filter((file) => isOfAll(file) || declaresGlobals(root, file));
  const common = digest(
    [process.version, ...forAll.map((file) => `${file} ${digestOf(file)}`)].join('\n'),
  );
  return new Map(
    files.map((file) => {
      const used = closureOf(file, uses).map((one) => `${one} ${digestOf(one)}`);
      return [file, digest([common, ...used].join('\n'))];
    }),
  );
}

const ofAll = new RegExp(
  '\\.d\\.ts$|(^|/)(package|tsconfig[^/]*)\\.json$|^pnpm-|^patches/|^eslint\\.config\\.js$|^lint/',
);

function isOfAll(file: string): boolean {
  return ofAll.test(file);
}

/** Its types hold where nothing imports it too. */
function declaresGlobals(root: string, file: string): boolean {
  return /\.[cm]?tsx?$/.test(file) && globals.test(readFileSync(join(root, file), 'utf8'));
}

const globals = /^declare global\b/m;

function closureOf(file: string, uses: Uses): string[] {
  const reached = new Set([file]);
  for (const one of reached) for (const used of uses.get(one) ?? []) reached.add(used);
  return [...reached].sort();
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}

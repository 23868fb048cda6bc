import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ESLint } from 'eslint';
import { listTree } from './changed/read-tree.ts';
import { closureKeys } from './closure-keys.ts';

// The lint stage: every file of the tree, but not again what passed before and is the same, with
// all that its types come from. (ESLint's own cache looks at each file alone.)

const root = join(import.meta.dirname, '..', '..', '..');
const cache = join(root, 'node_modules/.cache/tributary/lint.json');

const eslint = new ESLint({ cwd: root });
const files: string[] = [];
for (const file of listTree(root)) if (await isLinted(file)) files.push(file);
if (files.length === 0) throw new Error('there is nothing to lint');

const keys = closureKeys(root, files);
const passed = readPassed();
const waiting = files.filter((file) => passed[file] !== keys.get(file));
const results = waiting.length === 0 ? [] : await eslint.lintFiles(waiting);
const formatter = await eslint.loadFormatter('stylish');
process.stdout.write(await formatter.format(results));
const failed = new Set(
  results.filter(({ messages }) => messages.length > 0).map(({ filePath }) => filePath),
);
writePassed(files.filter((file) => !failed.has(join(root, file))));
process.exitCode = failed.size === 0 ? 0 : 1;

async function isLinted(file: string): Promise<boolean> {
  if (!/\.[cm]?[jt]sx?$/.test(file) || (await eslint.isPathIgnored(join(root, file)))) return false;
  return (await eslint.calculateConfigForFile(join(root, file))) !== undefined;
}

function readPassed(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(cache, 'utf8')) as Record<string, string>;
  } catch {
    return {}; // There was no run before, or it was interrupted.
  }
}

function writePassed(which: readonly string[]): void {
  mkdirSync(dirname(cache), { recursive: true });
  writeFileSync(
    cache,
    JSON.stringify(Object.fromEntries(which.map((one) => [one, keys.get(one)]))),
  );
}

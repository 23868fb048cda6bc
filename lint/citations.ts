import { posix } from 'node:path';

// What the texts of the tree point at: links of Markdown, their anchors, and paths of files in
// prose, comments and messages. All pure; the files of the tree are an argument.

export type Tree = {
  files: ReadonlySet<string>;
  /** Each file and folder by each end of its path, `src` folders left out or not. */
  ends: ReadonlyMap<string, readonly string[]>;
};

export function treeOf(files: readonly string[]): Tree {
  const ends = new Map<string, string[]>();
  for (const path of new Set(files.flatMap((file) => [file, ...foldersOf(file)]))) {
    const parts = path.split('/');
    for (const end of [...endsOf(parts), ...endsOf(parts.filter((part) => part !== 'src'))]) {
      const known = ends.get(end);
      if (known === undefined) ends.set(end, [path]);
      else if (known.at(-1) !== path) known.push(path);
    }
  }
  return { files: new Set(files), ends };
}

/** Targets of Markdown links and images inside the checkout that are not there. */
export function findBrokenLinks(
  tree: Tree,
  file: string,
  text: string,
  anchorsIn: (file: string) => ReadonlySet<string>,
): string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(\s*<?([^)\s>]+)/g)].map(([, to]) => to ?? '');
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const found = path === '' ? file : posix.join(posix.dirname(file), path);
    if (!isFileOrFolder(tree, found)) return true;
    return anchor !== undefined && !anchorsIn(found).has(anchor);
  });
}

/** The anchors that a page has: its headings as GitHub names them, and the codes of its tables. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of withoutFences(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(title);
    let name = slug;
    for (let n = 1; anchors.has(name); n += 1) name = `${slug}-${n}`;
    anchors.add(name);
  }
  for (const [, code = ''] of markdown.matchAll(/^\| `([A-Z_]+)`/gm)) anchors.add(code);
  return anchors;
}

/** Paths in backticks of a Markdown page; inside fences, those that begin at the root. */
export function pathsInMarkdown(markdown: string): string[] {
  const prose = withoutFences(markdown);
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '');
  return [
    ...quoted.flatMap((code) => [...namesIn(code), ...rootPathsIn(code)]),
    ...rootPathsIn(markdown),
  ];
}

/** Files that comments name, and paths from the root wherever they are, messages included. */
export function pathsInCode(code: string): string[] {
  const comments = [...code.matchAll(/\/\*[^]*?\*\/|(?<![:'"`\w])\/\/.*$|^\s*(?:--|#).*$/gm)];
  return [...comments.flatMap(([comment]) => namesIn(comment)), ...rootPathsIn(code)];
}

/**
 * Which of the paths that `file` names are nowhere. A bare name in a README of a package is a file
 * of that package; elsewhere it may also be one of another package, or a page.
 */
export function findMissingPaths(tree: Tree, file: string, paths: readonly string[]): string[] {
  return paths.filter((path) => !isExample(path) && !isThere(tree, file, path));
}

function isThere(tree: Tree, file: string, path: string): boolean {
  if (isRootPath(path)) return isFileOrFolder(tree, path) || isNumber(tree, path);
  const found = tree.ends.get(path.replace(/\/$/, '')) ?? [];
  const unit = unitOf(file);
  if (path.startsWith('src/') && unit !== undefined) return found.includes(`${unit}/${path}`);
  if (path.includes('/') || unit === undefined) return found.length > 0;
  const homes = /^packages\/[^/]+\/README\.md$/.test(file) ? [unit] : [unit, 'packages', 'docs'];
  return found.some((one) => homes.some((home) => one.startsWith(`${home}/`)));
}

/** Numbers of decisions that a text cites. */
export function decisionsIn(text: string): string[] {
  const numbers = [...text.matchAll(/\bdecisions? (\d+)\b(?! ?%)/g)].map(
    ([, number]) => number ?? '',
  );
  return numbers.map((number) => `docs/decisions/${number.padStart(4, '0')}`);
}

/** Made by a build, or a name that stands for any. */
function isExample(path: string): boolean {
  return /(?:^|\/)(?:dist|node_modules)(?:\/|$)|(?:^|\/)x\.[a-z.]+$/.test(path);
}

const roots = 'docs|packages|services|deploy|bench|lint|test-e2e|test-faults|patches';
const before = String.raw`(?<![\w/.@:<*-])`;
const rootPath = new RegExp(String.raw`${before}(?:${roots})/[\w@./*<>{}$-]*[\w*}>]`, 'g');
const srcPath = new RegExp(String.raw`${before}src/[\w@./*<>{}$-]*[\w*}>]`, 'g');
const fileName = new RegExp(
  String.raw`${before}(?:\.{1,2}/)*[\w@-][\w@.-]*(?:/[\w@.-]+)*` +
    String.raw`\.(?:ts|tsx|mjs|md|sql|lua|template)\b(?![(/*])`,
  'g',
);

function namesIn(text: string): string[] {
  const names = [...text.matchAll(fileName)].map(([name]) => name.replace(/^(?:\.{1,2}\/)+/, ''));
  return [...names.filter((name) => !isRootPath(name)), ...wholePaths(text, srcPath)];
}

function rootPathsIn(text: string): string[] {
  return wholePaths(text, rootPath);
}

/** Without patterns, which name no file. */
function wholePaths(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([path]) => path).filter((path) => !/[*<>{}$]/.test(path));
}

function isRootPath(path: string): boolean {
  return new RegExp(`^(?:${roots})/`).test(path);
}

function isFileOrFolder(tree: Tree, path: string): boolean {
  const plain = path.replace(/\/$/, '');
  return (tree.ends.get(plain) ?? []).includes(plain);
}

/** `docs/decisions/0021` names a record by its number. */
function isNumber(tree: Tree, path: string): boolean {
  return /\/\d{4}$/.test(path) && [...tree.files].some((file) => file.startsWith(`${path}-`));
}

/** The package or service that a file belongs to. */
function unitOf(file: string): string | undefined {
  return /^(?:packages|services)\/[^/]+/.exec(file)?.[0];
}

function foldersOf(file: string): string[] {
  const parts = file.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

function endsOf(parts: readonly string[]): string[] {
  return parts.map((_, i) => parts.slice(i).join('/'));
}

function slugOf(title: string): string {
  const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return plain.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^( *)```[^]*?^\1```$/gm, '');
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replaceAll(/`[^`\n]*`/g, '``');
}

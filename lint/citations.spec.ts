import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  anchorsOf,
  decisionsIn,
  findBrokenLinks,
  findMissingPaths,
  pathsInCode,
  pathsInMarkdown,
  treeOf,
} from './citations.ts';
import { listFiles } from './source-texts.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFile(join(root, file), 'utf8');

describe('what the texts of the tree cite', () => {
  let files: string[];
  before(async () => {
    const all = await listFiles(root, ['*', '**/*']);
    files = all.filter((file) => !/(?:^|\/)(?:dist|\.git|\.tributary)(?:\/|$)/.test(file));
  });

  it('is there: every link of a page, with its anchor', async () => {
    const pages = new Map<string, string>();
    for (const file of files.filter((name) => name.endsWith('.md')))
      pages.set(file, await read(file));
    expect(pages.size).to.be.above(30);
    const tree = treeOf(files);
    const anchorsIn = (file: string) => anchorsOf(pages.get(file) ?? '');
    const found = [...pages].flatMap(([file, text]) =>
      findBrokenLinks(tree, file, text, anchorsIn).map((target) => `${file}: ${target}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('is there: every file that a page, a comment or a message names, and every decision', async () => {
    const tree = treeOf(files);
    const found: string[] = [];
    let cited = 0;
    for (const file of files.filter(isChecked)) {
      const text = await read(file);
      const named = file.endsWith('.md') ? pathsInMarkdown(text) : pathsInCode(text);
      const paths = [...new Set([...named, ...decisionsIn(text)])];
      cited += paths.length;
      found.push(...findMissingPaths(tree, file, paths).map((path) => `${file}: ${path}`));
    }
    expect(cited).to.be.above(300);
    expect(found).to.deep.equal([]);
  });

  /**
   * Applied migrations are never edited, and the specs of the fences and of the test runner are
   * about files of no tree.
   */
  function isChecked(file: string): boolean {
    if (/\/migrations\/|^(?:lint|deploy\/local\/test)\/.*\.spec\.ts$/.test(file)) return false;
    return /\.(?:md|ts|tsx|mjs|js|sql|lua|ya?ml|template)$|Dockerfile$|^\.ci\/run$/.test(file);
  }
});

describe('a citation', () => {
  const tree = treeOf([
    'README.md',
    'docs/guide.md',
    'docs/decisions/0007-seven.md',
    'packages/a/README.md',
    'packages/a/src/one.ts',
    'packages/a/src/inner/two.ts',
    'packages/b/src/three.ts',
    'services/s/README.md',
    'services/s/src/app.ts',
  ]);
  const anchors = () => anchorsOf('# Title\n\n## A `b`, and [c](d.md)\n\n```\n# no heading\n```\n');

  for (const [file, link] of [
    ['README.md', 'docs/guide.md'],
    ['README.md', 'docs'],
    ['README.md', 'docs/guide.md#a-b-and-c'],
    ['docs/guide.md', '#title'],
    ['docs/guide.md', '../packages/a/src/one.ts'],
    ['docs/guide.md', 'https://example.com/gone.md'],
  ] as const) {
    it(`of ${link} in ${file} is a good link`, () => {
      expect(findBrokenLinks(tree, file, `See [it](${link}).`, anchors)).to.deep.equal([]);
    });
  }

  for (const link of ['guide.md', 'docs/gone.md', 'docs/guide.md#no-heading', '#gone', '../x.md']) {
    it(`of ${link} in README.md is a broken link`, () => {
      expect(findBrokenLinks(tree, 'README.md', `See [it](${link}).`, anchors)).to.have.length(1);
    });
  }

  for (const [file, text] of [
    ['README.md', 'the code in `packages/a/src/one.ts`, and in `b/three.ts`'],
    ['README.md', '```\nnode packages/a/src/one.ts --out out.md\n```'],
    ['packages/a/README.md', '`one.ts`, `src/inner`, `inner/two.ts` and `packages/*/src/gone.ts`'],
    ['services/s/README.md', '`src/app.ts`, `three.ts`'],
    ['docs/guide.md', '`docs/decisions/0007`, `services/s/`'],
  ] as const) {
    it(`is there, in ${file}: ${text}`, () => {
      expect(findMissingPaths(tree, file, pathsInMarkdown(text))).to.deep.equal([]);
    });
  }

  for (const [file, text] of [
    ['README.md', 'the code in `packages/a/src/three.ts`'],
    ['README.md', '```\nnode packages/a/src/gone.ts\n```'],
    ['packages/a/README.md', '`three.ts`'],
    ['packages/a/README.md', '`src/outer`'],
    ['services/s/README.md', '`src/one.ts`'],
    ['docs/guide.md', '`docs/decisions/0008`'],
  ] as const) {
    it(`is missing, in ${file}: ${text}`, () => {
      const missing = findMissingPaths(tree, file, pathsInMarkdown(text));
      expect(new Set(missing)).to.have.property('size', 1);
    });
  }

  for (const [code, count] of [
    ['// as in one.ts', 0],
    ['/** As in\n * `inner/two.ts`. */', 0],
    ["import { a } from './gone.ts';", 0],
    ['// as in gone.ts', 1],
    ['/** As in\n * `outer/two.ts`. */', 1],
    ["throw new Error('see docs/runbooks/gone.md');", 1],
    ['const a = `see docs/guide.md`;', 0],
  ] as const) {
    it(`of code: ${count} missing in ${code}`, () => {
      const missing = findMissingPaths(tree, 'packages/a/src/one.ts', pathsInCode(code));
      expect(missing).to.have.length(count);
    });
  }

  it('of a decision is by its number', () => {
    const cited = decisionsIn(
      'by decision 7, not\nby (decision 12); 3 decisions and decision 10 % up',
    );
    expect(cited).to.deep.equal(['docs/decisions/0007', 'docs/decisions/0012']);
    expect(findMissingPaths(tree, 'README.md', cited)).to.deep.equal(['docs/decisions/0012']);
  });
});

import { expect } from 'chai';
import { ESLint } from 'eslint';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';
import { commentForm } from './comment-form-rule.ts';

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

describe('the form of comments', () => {
  for (const code of [
    '/** Counts what is left. */',
    '// The rest\n// Of the text may begin a line so.',
    `// ${words(19)}`,
    `/** ${words(18)} */`,
    `// https://example.com/${'x'.repeat(100)}`,
    `/*\n *   asked ──▶ ${words(20)}\n */`,
    `/**\n * | a | ${words(20)} |\n */`,
    `// @ts-expect-error -- ${words(20)}`,
    `const text = '${words(30)}';`,
  ]) {
    it(`is right: ${shortened(code)}`, async () => {
      expect((await lint(code)).messages).to.deep.equal([]);
    });
  }

  for (const code of ['/** Of the row. */', '// Of the row.', '/**\n * Of the row.\n */']) {
    it(`is wrong: ${shortened(code)}`, async () => {
      const { messages, output } = await lint(code);
      expect(messages.map(({ message }) => message).join()).to.match(/does not open with "Of/);
      expect(output).to.equal(undefined);
    });
  }

  for (const [code, fixed] of [
    [`// ${words(21)}`, `// ${words(19)}\n// ${words(2)}`],
    [`  // ${words(10)}\n  // ${words(20)}`, `  // ${words(19)}\n  // ${words(11)}`],
    [`/** ${words(19)} */`, `/**\n * ${words(19)}\n */`],
    [`/**\n * One.\n *\n * ${words(20)}\n */`, `/**\n * One.\n *\n * ${words(19)}\n * word\n */`],
    [`/**\n * - ${words(20)}\n *   end\n */`, `/**\n * - ${words(19)}\n *   word end\n */`],
    [`/**\n * ${words(18)} {@link a b}\n */`, `/**\n * ${words(18)}\n * {@link a b}\n */`],
    [
      `/**\n * ${words(20)}\n * @throws never\n */`,
      `/**\n * ${words(19)}\n * word\n * @throws never\n */`,
    ],
  ] as const) {
    it(`is wrapped: ${shortened(code)}`, async () => {
      const { messages, output } = await lint(code, { fix: true });
      expect(output).to.equal(fixed);
      expect(messages).to.deep.equal([]);
    });
  }

  it('is wrong at the end of a line that becomes too wide, and left to people', async () => {
    const { messages, output } = await lint(`const a = 1; // ${words(20)}`, { fix: true });
    expect(messages).to.have.length(1);
    expect(output).to.equal(undefined);
  });
});

function shortened(code: string): string {
  return code.replaceAll(/(?:word ){4,}/g, 'word … ').replaceAll('\n', '⏎');
}

async function lint(code: string, { fix = false } = {}) {
  const eslint = new ESLint({
    cwd: join(import.meta.dirname, '..'),
    overrideConfigFile: true,
    fix,
    overrideConfig: {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser },
      plugins: { tributary: { rules: { 'comment-form': commentForm as never } } },
      rules: { 'tributary/comment-form': 'error' },
    },
  });
  const [result] = await eslint.lintText(code, { filePath: 'x.ts' });
  return result!;
}

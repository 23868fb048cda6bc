import { expect } from 'chai';
import { ESLint } from 'eslint';
import { functionSize, mostLines } from './function-size-rule.ts';

const steps = (count: number) => 'step();\n'.repeat(count);

describe('the size of functions', () => {
  for (const [title, code] of [
    ['has the most lines', `function f() {\n${steps(mostLines - 2)}}`],
    ['has blank lines and comments', `function f() {\n${steps(60)}${'\n// why\n'.repeat(20)}}`],
    ['has functions within it', `function f() {\n${steps(60)}const g = () => {\n${steps(60)}};\n}`],
  ] as const) {
    it(`is right of one that ${title}`, async () => {
      expect(await messagesOf(code)).to.deep.equal([]);
    });
  }

  for (const [title, code] of [
    ['has a line too many', `function f() {\n${steps(mostLines - 1)}}`],
    ['is a method', `const o = {\nm() {\n${steps(mostLines)}}\n};`],
    ['is within a small one', `function f() {\nreturn () => {\n${steps(mostLines)}};\n}`],
    ['calls back on single lines', `const f = () => {\n${'each((x) => x);\n'.repeat(mostLines)}};`],
  ] as const) {
    it(`is wrong of one that ${title}`, async () => {
      expect(await messagesOf(code)).to.have.length(1);
    });
  }

  async function messagesOf(code: string): Promise<string[]> {
    const eslint = new ESLint({
      overrideConfigFile: true,
      overrideConfig: {
        plugins: { tributary: { rules: { 'function-size': functionSize as never } } },
        rules: { 'tributary/function-size': 'error' },
      },
    });
    const [result] = await eslint.lintText(code, { filePath: 'x.js' });
    return result!.messages.map(({ message }) => message);
  }
});

// The size of functions as an ESLint rule: lines of code that are a function's own, without blank
// lines, comments, and the functions within it. A factory is measured by what it wires up, and each
// of its methods for itself.

/** The most lines that a function has of its own. */
export const mostLines = 70;

type Loc = { start: { line: number }; end: { line: number } };
type FunctionNode = { loc: Loc };
type Context = {
  sourceCode: { getTokens: (node: FunctionNode) => { loc: Loc }[] };
  report: (problem: { node: FunctionNode; message: string }) => void;
};

const functions = ':function';

export const functionSize = {
  meta: { type: 'suggestion', schema: [] },
  create({ sourceCode, report }: Context) {
    /** For each function around this place, the lines that are of functions within it. */
    const within: Set<number>[] = [];
    return {
      [functions](): void {
        within.push(new Set());
      },
      [`${functions}:exit`](node: FunctionNode): void {
        const others = within.pop();
        const lines = linesOf(sourceCode.getTokens(node));
        const own = [...lines].filter((line) => others?.has(line) !== true).length;
        if (own > mostLines) {
          report({ node, message: `a function of ${own} lines; ${mostLines} are the most` });
        }
        // One on a single line stands in the middle of the other's line.
        if (lines.size > 1) for (const line of lines) within.at(-1)?.add(line);
      },
    };
  },
};

function linesOf(tokens: readonly { loc: Loc }[]): Set<number> {
  const lines = new Set<number>();
  for (const { loc } of tokens) {
    for (let line = loc.start.line; line <= loc.end.line; line++) lines.add(line);
  }
  return lines;
}

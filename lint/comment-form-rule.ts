import { blockOf, linesOfBlock, opensWithOf, widestLine, wrap } from './comment-form.ts';

// The form of comments as an ESLint rule. `eslint --fix` wraps those that are too wide.

type Loc = { start: { line: number; column: number }; end: { line: number; column: number } };
type Comment = { type: string; value: string; range: [number, number]; loc: Loc };
type Fixer = { replaceTextRange: (range: [number, number], text: string) => unknown };
type Problem = { loc: Loc; message: string; fix?: (fixer: Fixer) => unknown };
type Context = {
  sourceCode: { text: string; lines: string[]; getAllComments: () => Comment[] };
  report: (problem: Problem) => void;
};

/** A block comment, or `//` comments on lines that follow each other. */
type Group = { first: Comment; last: Comment; lines: string[]; isAlone: boolean };

export const commentForm = {
  meta: { type: 'layout', fixable: 'whitespace', schema: [] },
  create(context: Context) {
    const { sourceCode } = context;
    return {
      Program(): void {
        for (const group of groupsOf(sourceCode)) {
          if (isDirective(group)) continue;
          const loc = { start: group.first.loc.start, end: group.last.loc.end };
          if (opensWithOf(group.lines)) {
            context.report({
              loc,
              message: 'a comment is a sentence: it does not open with "Of …"',
            });
          }
          const text = wrapped(group);
          if (!isWide(sourceCode.lines, loc) || text === sourceCode.text.slice(...rangeOf(group)))
            continue;
          const message = `a comment is wider than ${widestLine} columns`;
          const fix = (fixer: Fixer) => fixer.replaceTextRange(rangeOf(group), text);
          context.report({ loc, message, ...(group.isAlone ? { fix } : {}) });
        }
      },
    };
  },
};

function groupsOf(sourceCode: Context['sourceCode']): Group[] {
  const { lines } = sourceCode;
  const groups: Group[] = [];
  for (const comment of sourceCode.getAllComments()) {
    const { start, end } = comment.loc;
    const before = (lines[start.line - 1] ?? '').slice(0, start.column);
    const after = (lines[end.line - 1] ?? '').slice(end.column);
    const isAlone = before.trim() === '' && after.trim() === '';
    const isLine = comment.type === 'Line';
    const texts = isLine
      ? [comment.value.replace(/^ /, '').trimEnd()]
      : linesOfBlock(comment.value);
    const previous = groups.at(-1);
    if (isLine && isAlone && previous !== undefined && isContinued(previous, comment)) {
      previous.last = comment;
      previous.lines.push(...texts);
    } else groups.push({ first: comment, last: comment, lines: texts, isAlone });
  }
  return groups;
}

function isContinued({ last, isAlone }: Group, { loc }: Comment): boolean {
  const { start } = last.loc;
  return (
    isAlone &&
    last.type === 'Line' &&
    start.line + 1 === loc.start.line &&
    start.column === loc.start.column
  );
}

/** For a program to read, not for people. */
function isDirective({ lines }: Group): boolean {
  return lines.some((line) => /^\s*(?:eslint|@ts-|prettier-|c8 |<reference|@vite)/.test(line));
}

function isWide(lines: readonly string[], { start, end }: Loc): boolean {
  return lines.slice(start.line - 1, end.line).some((line) => line.length > widestLine);
}

function rangeOf({ first, last }: Group): [number, number] {
  return [first.range[0], last.range[1]];
}

/** What cannot be wrapped stays as it is: pictures, tables, a line that is one word. */
function wrapped({ first, lines }: Group): string {
  const indent = ' '.repeat(first.loc.start.column);
  const texts = wrap(lines, widestLine - indent.length - 3);
  if (first.type !== 'Line') {
    return blockOf(first.value.startsWith('*') ? '/**' : '/*', texts, indent);
  }
  return texts.map((line) => `// ${line}`.trimEnd()).join(`\n${indent}`);
}

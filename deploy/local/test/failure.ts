import { stripVTControlCharacters } from 'node:util';

/** One thing that went wrong in a stage, told again at the end of the run. */
export type Failure = { title: string; details: string };

/** What assertion errors have beside what every Error has; both are text once mocha saw them. */
type Failing = Error & { actual?: unknown; expected?: unknown };

const most = { message: 14, diff: 12, cause: 5, stack: 6, width: 400 };

/**
 * An error in at most 40 lines: message, what was expected of what was there, the cause and where
 * it was thrown. A log that was cut, or one with hundreds of failures, must still name each.
 */
export function printError(error: Error, diffOf: (actual: string, expected: string) => string) {
  const { message, actual, expected } = error as Failing;
  const isCompared = typeof actual === 'string' && typeof expected === 'string';
  const cause = error.cause instanceof Error ? `because of ${String(error.cause)}` : '';
  const calls = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [
    ...someLines(message || error.name, most.message),
    ...someLines(isCompared ? diffOf(actual, expected) : '', most.diff),
    ...someLines(cause, most.cause),
    ...calls.slice(0, most.stack),
  ].join('\n');
}

/**
 * The last lines of what a process said: of a compiler or a linter, most or all of its findings.
 */
export function lastLines(output: string, count = 39): string {
  const lines = linesOf(output);
  const left = lines.length - count;
  return [...(left > 0 ? [`… ${left} lines before`] : []), ...lines.slice(-count)].join('\n');
}

function someLines(text: string, count: number): string[] {
  const lines = linesOf(text);
  const left = lines.length - count;
  return [...lines.slice(0, count), ...(left > 0 ? [`… ${left} more lines`] : [])];
}

function linesOf(text: string): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (line.length > most.width ? `${line.slice(0, most.width)} …` : line));
}

/** All failures of a run: each in full, and when there are several, their names once more. */
export function printFailures(failures: readonly Failure[]): string {
  const named = failures.map(({ title }, i) => `${i + 1}) ${title}`);
  const full = failures.map(({ details }, i) => `${named[i]}\n${indented(details)}\n`);
  return [...full, ...(failures.length > 1 ? [...named, ''] : [])].join('\n');
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '   ');
}

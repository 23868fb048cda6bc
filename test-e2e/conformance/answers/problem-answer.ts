import type { Expected } from '../case.ts';
import type { Finding } from '../oracle/validate-body.ts';
import { headerOf, type RawAnswer } from '../wire/raw-answer.ts';

type Violation = { pointer: string; code: string; detail: string };
type Problem = Record<'type' | 'title' | 'detail' | 'instance' | 'code', string> & {
  status: number;
  errors?: Violation[];
};

const listedAtMost = 20;

/** Every way in which this answer is not the Problem (2.8, 2.9) that was due. */
export function problemMistakes(answer: RawAnswer, expected: Expected): string[] {
  if (!/^application\/problem\+json$/.test(headerOf(answer, 'content-type') ?? '')) {
    return [`content-type ${headerOf(answer, 'content-type')}`];
  }
  const problem = JSON.parse(answer.body.toString()) as Problem;
  return [
    ...shapeMistakes(problem, answer),
    ...(problem.code === expected.code ? [] : [`code ${problem.code}, not ${expected.code}`]),
    ...headerMistakes(problem, answer),
    ...violationMistakes(problem, expected),
  ];
}

const titles = new Map<string, string>();

function shapeMistakes(problem: Problem, answer: RawAnswer): string[] {
  const { status, detail, code, title } = problem;
  const mistakes: string[] = [];
  const keys = Object.keys(problem).filter((key) => key !== 'errors');
  if (keys.sort().join() !== 'code,detail,instance,status,title,type') {
    mistakes.push(`members ${keys.join()}`);
  }
  const urn = `urn:tributary:problem:${code.toLowerCase().replaceAll('_', '-')}`;
  if (problem.type !== urn) mistakes.push(`type ${problem.type}`);
  if (status !== answer.status) mistakes.push(`status member ${status}`);
  if (typeof detail !== 'string' || detail === '') mistakes.push('no detail');
  const known = titles.get(code) ?? title;
  titles.set(code, known);
  if (typeof title !== 'string' || title === '') mistakes.push('no title');
  if (title !== known) mistakes.push(`title ${title}, once ${known}`);
  return mistakes;
}

function headerMistakes(problem: Problem, answer: RawAnswer): string[] {
  const mistakes: string[] = [];
  const requestId = headerOf(answer, 'x-request-id');
  if (problem.instance !== requestId) {
    mistakes.push(`instance ${problem.instance}, X-Request-Id ${requestId}`);
  }
  return mistakes;
}

function violationMistakes(problem: Problem, expected: Expected): string[] {
  const { errors } = problem;
  if (expected.errors === undefined) return errors === undefined ? [] : ['errors in the answer'];
  if (errors === undefined) return ['no errors in the answer'];
  const mistakes: string[] = [];
  for (const violation of errors) {
    if (Object.keys(violation).sort().join() !== 'code,detail,pointer') {
      mistakes.push(`violation of ${Object.keys(violation).join()}`);
    }
    if (violation.detail === '') mistakes.push(`no detail at ${violation.pointer}`);
    const hint = expected.hints?.[violation.pointer];
    if (hint && !hint.test(violation.detail)) mistakes.push(`no hint in "${violation.detail}"`);
  }
  const due = expected.errors.slice(0, listedAtMost);
  const got = errors.map(({ pointer, code }): Finding => `${pointer} ${code}`);
  if (!sameFindings(got, due, expected.anyOrder ?? false)) {
    mistakes.push(`errors ${JSON.stringify(got)}, not ${JSON.stringify(due)}`);
  }
  const truncated = expected.errors.length > listedAtMost;
  if (/\b(first|only|more than|truncated|cut)\b/i.test(problem.detail) !== truncated) {
    mistakes.push(`detail "${problem.detail}" of ${expected.errors.length} violations`);
  }
  return mistakes;
}

export function sameFindings(
  got: readonly Finding[],
  due: readonly Finding[],
  anyOrder: boolean,
): boolean {
  const [left, right] = anyOrder ? [[...got].sort(), [...due].sort()] : [got, due];
  return left.length === right.length && left.every((finding, i) => matches(finding, right[i]!));
}

function matches(got: Finding, due: Finding): boolean {
  const space = due.lastIndexOf(' ');
  const codes = due.slice(space + 1).split('|');
  return codes.some((code) => got === `${due.slice(0, space)} ${code}`);
}

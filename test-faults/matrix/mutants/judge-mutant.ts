import { isGreen, type Judged } from '../checker/check.ts';
import { holds } from '../checker/verdict.ts';
import type { Mutant } from './mutant.ts';

/** What became of a mutant in its row. */
export type MutantVerdict = {
  isCaught: boolean;
  /** Promises that were not green, each with its first counterexample, if there is one. */
  red: { number: number; first: string | undefined }[];
  /** The counterexample by which it is caught, or why it is not. */
  why: string;
};

/**
 * A mutant is caught when one of the promises that it breaks has a counterexample. That nothing was
 * there to be judged, or that it could not be, catches nothing; neither does a system that does not
 * recover, unless that is what the mutant is about.
 */
export function judgeMutant(
  { promises, hangs = false }: { hangs?: boolean } & Pick<Mutant, 'promises'>,
  judged: Judged,
): MutantVerdict {
  const red = judged.verdicts
    .filter(({ verdict }) => !holds(verdict))
    .map(({ number, verdict: { broken } }) => {
      const first = broken.find((problem) => says(problem, hangs)) ?? broken[0];
      return { number, first };
    });
  if (judged.fired === 0) return { isCaught: false, red, why: 'its fault was never done' };
  const by = red.find(
    ({ number, first }) => promises.includes(number) && first !== undefined && says(first, hangs),
  );
  if (by === undefined) return { isCaught: false, red, why: whyNot(promises, judged) };
  return { isCaught: true, red, why: `I${by.number}: ${by.first}` };
}

/** Whether it says what is wrong. */
function says(problem: string, hangs: boolean): boolean {
  return !problem.startsWith('it cannot be judged: ') && (hangs || !isHang(problem));
}

function isHang(problem: string): boolean {
  return problem.startsWith('never done: ') || problem.startsWith('the rebuild ended as ');
}

function whyNot(promises: readonly number[], judged: Judged): string {
  if (isGreen(judged)) return 'everything is green';
  return `no counterexample of ${promises.map((number) => `I${number}`).join(' or ')}`;
}

/** What became of one invariant: how many items were looked at, and which of them break it. */
export type Verdict = { judged: number; broken: string[] };

/** Nothing was looked at, or something is wrong: both say no. */
export function holds({ judged, broken }: Verdict): boolean {
  return judged > 0 && broken.length === 0;
}

/** Collects a verdict item by item. */
export function createVerdict() {
  const verdict: Verdict = { judged: 0, broken: [] };
  return {
    verdict,
    /** One item was looked at; `problem` says what is wrong with it. */
    judge(problem: string | undefined): void {
      verdict.judged += 1;
      if (problem !== undefined) verdict.broken.push(problem);
    },
    /** Something is wrong that is no item of its own. */
    breaks(problem: string): void {
      verdict.broken.push(problem);
    },
  };
}

export function countBy<T>(items: Iterable<T>, nameOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return counts;
}

/** What several find of one invariant. The first has something to judge in every row. */
export function together<E>(...judges: ((evidence: E) => Verdict)[]): (evidence: E) => Verdict {
  return (evidence) => {
    const verdicts = judges.map((judge) => judge(evidence));
    const isJudged = (verdicts[0]?.judged ?? 0) > 0;
    return {
      judged: isJudged ? verdicts.reduce((sum, { judged }) => sum + judged, 0) : 0,
      broken: verdicts.flatMap(({ broken }) => broken),
    };
  };
}

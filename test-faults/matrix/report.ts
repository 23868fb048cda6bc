import { type Judged, isGreen } from './checker/check.ts';
import { holds } from './checker/verdict.ts';
import type { Evidence } from './evidence.ts';

/** As many counterexamples of one invariant as a person reads. */
const shown = 3;
const widest = 400;

/** One line of the table, and below it why it is red. */
export function linesOf(evidence: Evidence, judged: Judged, dir: string): string[] {
  const { row, requests } = evidence;
  const count = (outcome: string) =>
    requests.filter((request) => request.outcome === outcome && request.by === 'customer').length;
  const ops = ['ok', 'failed', 'unknown'].map(count).join('/');
  const recovered =
    row.recoveredMs === undefined ? 'never' : `${(row.recoveredMs / 1_000).toFixed(1)}s`;
  const verdicts = judged.verdicts.map(
    ({ number, verdict }) => `I${number} ${verdict.judged}${holds(verdict) ? '✓' : '✗'}`,
  );
  const head = [
    ...[
      isGreen(judged) ? '✓' : '✗',
      row.number,
      row.fault,
      `seed=${row.seed}`,
      `fired=${judged.fired}`,
    ],
    ...[`ops ok/fail/unknown=${ops}`, `recovered=${recovered}`, ...verdicts],
  ];
  return [
    head.join(' '),
    ...whyRed(evidence, judged),
    ...(isGreen(judged) ? [] : [again(row, dir)]),
  ];
}

function whyRed({ row }: Evidence, { fired, verdicts }: Judged): string[] {
  const problems = verdicts.flatMap(({ number, says, verdict }) => {
    if (holds(verdict)) return [];
    if (verdict.broken.length === 0) return [`I${number} (${says}): nothing was there to judge`];
    const more = verdict.broken.length - shown;
    return [
      ...verdict.broken.slice(0, shown).map((one) => `I${number} (${says}): ${cut(one)}`),
      ...(more > 0 ? [`I${number}: and ${more} more`] : []),
    ];
  });
  const notRun = fired === 0 ? [`${row.fault} was never done: this row says nothing`] : [];
  return [...notRun, ...problems].map((line) => `    ${line}`);
}

function again({ fault, seed }: Evidence['row'], dir: string): string {
  return `    again: npm run faults -- --only ${fault} --seed ${seed}; judge what is kept: npm run faults -- --check ${dir}`;
}

function cut(text: string): string {
  return text.length > widest ? `${text.slice(0, widest)}…` : text;
}

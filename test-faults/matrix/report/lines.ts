import { type Judged, isGreen } from '../checker/check.ts';
import { holds } from '../checker/verdict.ts';
import type { Evidence, Outcome, RowFacts, SentRequest } from '../evidence.ts';

/** As many counterexamples of one invariant as a person reads. */
const shown = 3;
const widest = 400;

/** One line of the table, and below it why it is red. */
export function linesOf(evidence: Evidence, judged: Judged, dir: string): string[] {
  const { row } = evidence;
  const ops = countOps(evidence);
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
    `ops ok/fail/unknown=${ops.ok}/${ops.failed}/${ops.unknown}`,
    ...[`recovered=${recoveredIn(row)}`, ...verdicts],
  ];
  const { again, judgeAgain } = commandsOf(row, dir);
  return [
    head.join(' '),
    ...whyRed(evidence, judged).map((line) => `    ${line}`),
    ...(isGreen(judged) ? [] : [`    again: ${again}; judge what is kept: ${judgeAgain}`]),
  ];
}

/** What became of the requests of customers, of their users and of Stripe. */
export function countOps({ requests }: Evidence): Record<Outcome, number> {
  const ops = { ok: 0, failed: 0, unknown: 0 };
  for (const { by, outcome } of requests) if (reporters.includes(by)) ops[outcome] += 1;
  return ops;
}

export const reporters: readonly SentRequest['by'][] = ['customer', 'user', 'stripe'];

export function recoveredIn({ recoveredMs }: Pick<RowFacts, 'recoveredMs'>): string {
  return recoveredMs === undefined ? 'never' : `${(recoveredMs / 1_000).toFixed(1)}s`;
}

/** Some counterexamples of every promise that does not hold; nothing if all do. */
export function whyRed({ row }: Evidence, { fired, verdicts }: Judged): string[] {
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
  return [...notRun, ...problems];
}

/** How to do the fault again with the same choices, and to judge again what it has left. */
export function commandsOf(
  { fault, seed, options }: Pick<RowFacts, 'fault' | 'seed' | 'options'>,
  dir: string,
) {
  const more = options === undefined ? '' : ` ${options}`;
  return {
    again: `npm run faults -- --only ${fault} --seed ${seed}${more}`,
    judgeAgain: `npm run faults -- --check ${dir}`,
  };
}

function cut(text: string): string {
  return text.length > widest ? `${text.slice(0, widest)}…` : text;
}

import type { VerifyResult } from '@tributary/contracts/admin/replay-results';
import { describeReport, isReport } from './report-texts.ts';
import { describeVerification } from './verify-texts.ts';

/** As far as it is printed. */
export type Rebuild = {
  outcome: 'ready' | 'different' | 'recovered' | 'not-needed';
  generation: number;
  /** The new generation beside the fold of the log. */
  compared?: VerifyResult;
  /** What differs between the live generation and the log. */
  report?: unknown;
};

export function describeRebuild({ outcome, generation, compared, report }: Rebuild): string {
  return [
    headings[outcome](generation),
    ...(compared === undefined ? [] : [describeVerification(compared)]),
    ...(isReport(report) ? ['', describeReport(report)] : []),
    ...(outcome === 'ready' ? [`To make it live: tributary replay swap ${generation}`] : []),
  ].join('\n');
}

const headings = {
  ready: (generation: number) => `Built: generation ${generation} has caught up.`,
  different: (generation: number) =>
    `Built: generation ${generation} is not what the log gives, so it cannot be made live.`,
  recovered: (generation: number) => `Recovered: generation ${generation} is live.`,
  'not-needed': (generation: number) => `Nothing to do: generation ${generation} is live.`,
};

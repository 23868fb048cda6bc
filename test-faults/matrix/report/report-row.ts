import { isGreen, type Judged } from '../checker/check.ts';
import { holds } from '../checker/verdict.ts';
import type { Evidence, Outcome, RowFacts } from '../evidence.ts';
import { commandsOf, countOps, recoveredIn, whyRed } from './lines.ts';
import { type Timeline, timelineOf } from './timeline.ts';

type Named = Pick<RowFacts, 'number' | 'fault' | 'seed'>;

/** What the report says of a row. */
export type ReportRow = Named & {
  isGreen: boolean;
  fired: RowFacts['fired'];
  ops: Record<Outcome, number>;
  recovered: string;
  promises: { number: number; says: string; judged: number; holds: boolean }[];
  /** Counterexamples, and what else makes it red. */
  why: string[];
  commands: string[];
  timeline?: Timeline;
};

/** Keeps what is shown of the evidence, which itself is large. */
export function reportRowOf(evidence: Evidence, judged: Judged, dir: string): ReportRow {
  const { row } = evidence;
  const { number, fault, seed, fired } = row;
  const { again, judgeAgain } = commandsOf(row, dir);
  return {
    ...{ number, fault, seed, fired, isGreen: isGreen(judged), ops: countOps(evidence) },
    recovered: recoveredIn(row),
    promises: judged.verdicts.map(({ number: of, says, verdict }) => ({
      ...{ number: of, says, judged: verdict.judged, holds: holds(verdict) },
    })),
    why: whyRed(evidence, judged),
    commands: [`${judgeAgain} # judges again what it left`, `${again} # does it again`],
    timeline: timelineOf(evidence),
  };
}

/** A row that left no evidence. */
export function rowNotRun(row: Named, why: string): ReportRow {
  return {
    ...{ ...row, isGreen: false, fired: [], ops: { ok: 0, failed: 0, unknown: 0 } },
    ...{ recovered: 'never', promises: [], why: [`it could not be run: ${why}`] },
    commands: [`${commandsOf(row, '').again} # does it again`],
  };
}

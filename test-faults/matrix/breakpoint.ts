import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '@tributary/testkit/eventually';
import { repository } from '../../deploy/local/state-dir.ts';
import { type DebuggerSession, openDebugger } from './debugger.ts';

/** A moment in the life of a process, named by the place in its source that it has come to. */
export type Step = {
  name: string;
  /** From the root of the repository. */
  file: string;
  /** Text that is in this file once: the process is stopped before it does that. */
  before: string;
  /** An expression there, true at the moments that are meant; absent: each is. */
  when?: string;
  /** An expression there: what the process has in hand, in words. */
  inHand: string;
};

/** Where a process stands still, as its debugger reported it. */
export type Standstill = { file: string; line: number; functionName: string; inHand: string };

/** What makes Node open its inspector, on a free port of this machine alone. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/**
 * Lines and columns count from 0, as in the protocol. Node only blanks types out, so they are the
 * same in what runs.
 *
 * @throws when the text is not there exactly once: the product has changed, and the step is to be
 * written anew.
 */
export function placeOf(source: string, step: Step): { line: number; column: number } {
  const [head, rest, ...more] = source.split(step.before);
  if (head === undefined || rest === undefined || more.length > 0) {
    const count = source.split(step.before).length - 1;
    throw new Error(`step ${step.name}: its text is ${count} times in ${step.file}`);
  }
  const lines = head.split('\n');
  return { line: lines.length - 1, column: lines.at(-1)!.length };
}

/** The inspector of the process whose output begins at that byte of the log. */
export function findInspector(logFile: string, fromByte: number): Promise<string> {
  return eventually(() => {
    const log = readFileSync(logFile).subarray(fromByte).toString('utf8');
    const url = /^Debugger listening on (ws:\S+)$/m.exec(log)?.[1];
    if (url === undefined) throw new Error(`no debugger listens, says ${logFile}`);
    return url;
  });
}

/**
 * Resolves when the process stands still at that step, which it does until it is killed.
 *
 * @throws when it does not come there in time, or ends before.
 */
export async function stopAt(
  inspector: string,
  step: Step,
  { deadlineMs, root = repository }: { deadlineMs: number; root?: string },
): Promise<Standstill> {
  const path = realpathSync(join(root, step.file));
  const { line, column } = placeOf(readFileSync(path, 'utf8'), step);
  const place = {
    ...{ url: pathToFileURL(path).href, lineNumber: line, columnNumber: column },
    condition: step.when ?? '',
  };
  try {
    const session = await openDebugger(inspector);
    const stood = standAt(session, place, step.inHand, deadlineMs);
    stood.catch(() => session.close());
    return { file: step.file, line: line + 1, ...(await stood) };
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`the process never stood at the step ${step.name}: ${why}`, { cause: error });
  }
}

type Place = { url: string; lineNumber: number; columnNumber: number; condition: string };

async function standAt(
  session: DebuggerSession,
  place: Place,
  expression: string,
  deadlineMs: number,
): Promise<Pick<Standstill, 'functionName' | 'inHand'>> {
  await session.ask('Debugger.enable');
  const { breakpointId } = await session.ask<{ breakpointId: string }>(
    'Debugger.setBreakpointByUrl',
    place,
  );
  const { hitBreakpoints, callFrames } = await session.paused(deadlineMs);
  const [frame] = callFrames;
  const isThere =
    hitBreakpoints.includes(breakpointId) && frame?.location.lineNumber === place.lineNumber;
  if (!isThere) throw new Error(`it stands at ${frame?.url}:${frame?.location.lineNumber}`);
  const { result } = await session.ask<{ result: { value?: unknown } }>(
    'Debugger.evaluateOnCallFrame',
    { callFrameId: frame.callFrameId, expression, returnByValue: true },
  );
  if (typeof result.value !== 'string') throw new Error(`it has nothing in hand: ${expression}`);
  return { functionName: frame.functionName, inHand: result.value };
}

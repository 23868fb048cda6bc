import { setTimeout as delay } from 'node:timers/promises';
import type { CommandContext } from '../command-context.ts';
import { NoAnswer, Refused } from '../failures.ts';
import type { Progress } from '../progress.ts';
import type { Reconciliation, ReconcilePage } from './reconciliation.ts';

/** Stripe bounds how often it is asked, and the portal may be away for a moment. */
const mostTries = 6;
const firstWaitMs = 500;

type Walk = {
  target: string;
  /** Goes with every request, beside kind and cursor. */
  wish: { since: string };
  /** What was found, also when it throws. */
  soFar: Reconciliation;
  isInterrupted: () => boolean;
};

/**
 * Asks for page after page, newest objects first, one kind after another; each call of the API is
 * bounded and keeps nothing. How far it is shows in time: the walk of a kind goes from now back.
 */
export async function walkStripe(
  context: CommandContext,
  { target, wish, soFar, isInterrupted }: Walk,
): Promise<void> {
  for (const kind of soFar.kinds) {
    const progress = context.startProgress(`days of ${kind}`);
    try {
      let cursor: string | null | undefined;
      while (cursor !== null) {
        if (isInterrupted()) return;
        const body = { ...wish, kind, ...(cursor !== undefined && { cursor }) };
        const page = await callPatiently(context, { target, body });
        take(soFar, page);
        if (page.nextCursor !== null && page.nextCursor === cursor) {
          throw new NoAnswer('The admin API gives the same page again.');
        }
        cursor = page.nextCursor;
        showDays(progress, page, wish.since);
      }
    } finally {
      progress.end();
    }
  }
  soFar.finished = true;
}

function take(soFar: Reconciliation, page: ReconcilePage): void {
  soFar.scanned += page.scanned;
  soFar.appended += page.appended;
  soFar.findings.push(...page.findings);
}

const dayMs = 86_400_000;

function showDays(
  progress: Progress,
  { reachedAt, endsAt, nextCursor }: ReconcilePage,
  since: string,
): void {
  const now = Date.now();
  const end = Date.parse(endsAt ?? since);
  const days = Math.max(1, Math.ceil((now - end) / dayMs));
  // Without a next page there was nothing older.
  const walked = nextCursor === null ? days : daysSince(reachedAt, now);
  progress.at(Math.min(walked, days), Math.max(days - walked, 0));
}

function daysSince(moment: string | null, now: number): number {
  return moment === null ? 0 : Math.max(0, Math.floor((now - Date.parse(moment)) / dayMs));
}

async function callPatiently(
  { call, say }: CommandContext,
  { target, body }: { target: string; body: object },
): Promise<ReconcilePage> {
  for (let tried = 1; ; tried += 1) {
    try {
      const answer = await call({ method: 'POST', path: target, body });
      return answer.body as unknown as ReconcilePage;
    } catch (error) {
      if (!mayPass(error) || tried === mostTries) throw error;
      if (tried === 1) say(`No answer at the moment; trying again. (${(error as Error).message})`);
      await delay(firstWaitMs * 2 ** (tried - 1));
    }
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof Refused && error.problem.status === 503;
}

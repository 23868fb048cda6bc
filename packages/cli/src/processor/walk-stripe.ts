import { processorRoutes } from '@tributary/contracts/admin/processor';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminRequest, CommandContext } from '../command-context.ts';
import { NoAnswer, Refused } from '../failures.ts';
import type { Progress } from '../progress.ts';
import type { ReconcilePage, Reconciliation } from './reconciliation.ts';

const reconcile = processorRoutes.reconcileConnection;

/** Stripe bounds how often it is asked, and the portal may be away for a moment. */
const mostTries = 6;
const firstWaitMs = 500;

/** What every request holds, beside kind and cursor. */
export type WalkOptions = { since: string; append: boolean; lookBackDays?: number };

type Walk = {
  tenantId: string;
  options: WalkOptions;
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
  { tenantId, options, soFar, isInterrupted }: Walk,
): Promise<void> {
  for (const kind of soFar.kinds) {
    const progress = context.startProgress(`days of ${kind}`);
    try {
      let cursor: string | null | undefined;
      while (cursor !== null) {
        if (isInterrupted()) return;
        const body = { ...options, kind, ...(cursor !== undefined && { cursor }) };
        const params = { tenantId, connectionId: soFar.connectionId };
        const page = await callPatiently(context, { params, body });
        take(soFar, page);
        if (page.nextCursor !== null && page.nextCursor === cursor) {
          throw new NoAnswer('The admin API gives the same page again.');
        }
        cursor = page.nextCursor;
        showDays(progress, page, options.since);
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
  asked: Omit<AdminRequest<typeof reconcile>, 'route'>,
): Promise<ReconcilePage> {
  for (let tried = 1; ; tried += 1) {
    try {
      return (await call({ route: reconcile, ...asked })).body;
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

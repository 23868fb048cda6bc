import { deadLetterRoutes } from '@tributary/contracts/admin/dead-letters';
import type { AdminRequest, CommandContext } from '../command-context.ts';
import { Refused, ShownFailure } from '../failures.ts';
import { printable } from '../print.ts';

type ActRoute = (typeof deadLetterRoutes)['redriveDeadLetter' | 'discardDeadLetter'];
type Refusal = { itemId: string; why: string };
type Sum = { done: number; refused: Refusal[]; left: number };

/**
 * Does one thing with all dead letters of a filter, one request each: those that were there when it
 * began, the oldest first. What is refused stays as it is and is told at the end. Doing it again
 * changes nothing, so whatever ends it before, the same command goes on.
 */
export async function actOnAll(
  { call, onInterrupt, print, startProgress }: CommandContext,
  {
    filter,
    act,
    done,
  }: {
    filter: Record<string, string | undefined>;
    act: (itemId: string) => AdminRequest<ActRoute>;
    /** What was done to each, as in "redriven". */
    done: string;
  },
): Promise<void> {
  let isInterrupted = false;
  const restore = onInterrupt(() => (isInterrupted = true));
  const progress = startProgress('tried');
  const sum: Sum = { done: 0, refused: [], left: 0 };
  try {
    const itemIds = (await findAll(call, filter)).reverse();
    sum.left = itemIds.length;
    for (const itemId of itemIds) {
      if (isInterrupted) break;
      try {
        await call(act(itemId));
        sum.done += 1;
      } catch (error) {
        // Concerns this one only. When nobody can be asked now, all others would fail as well.
        if (!(error instanceof Refused) || error.problem.status !== 409) throw error;
        sum.refused.push({ itemId, why: error.problem.detail });
      }
      sum.left -= 1;
      progress.at(itemIds.length - sum.left, sum.left);
    }
  } catch (error) {
    progress.end();
    if (sum.done > 0) print(sum, `Failed; ${sum.done} ${done} before. The same command goes on.`);
    throw error;
  } finally {
    restore();
  }
  progress.end();
  print(sum, describe(sum, done));
  if (sum.left > 0 || sum.refused.length > 0) throw new ShownFailure(`not all were ${done}`);
}

async function findAll(
  call: CommandContext['call'],
  filter: Record<string, string | undefined>,
): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filter, limit: '200', cursor };
    const request = { route: deadLetterRoutes.listDeadLetters, params: {}, query };
    const { body: page } = await call(request);
    found.push(...page.deadLetters.map(({ itemId }) => itemId));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

function describe({ done: count, refused, left }: Sum, done: string): string {
  const shown = refused.slice(0, shownRefusals);
  return [
    count + refused.length + left === 0
      ? `There was none to be ${done}.`
      : `${count} ${done}, ${refused.length} refused${left > 0 ? `, ${left} left` : ''}.`,
    ...shown.map(({ itemId, why }) => printable(`  ${itemId}: ${why}`)),
    ...(refused.length > shown.length ? [`  and ${refused.length - shown.length} more`] : []),
    ...(left > 0 ? ['Ended by Ctrl-C; the same command goes on.'] : []),
  ].join('\n');
}

const shownRefusals = 20;

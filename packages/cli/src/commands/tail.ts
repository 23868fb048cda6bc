import type { Change, ChangeNotice } from '@tributary/contracts/admin/changes';
import { changeRoutes } from '@tributary/contracts/admin/changes';
import { deliveryRoutes } from '@tributary/contracts/admin/deliveries';
import { historyRoutes } from '@tributary/contracts/admin/history';
import { readModelRoutes } from '@tributary/contracts/admin/read-model';
import { pathOf } from '@tributary/contracts/admin/route-path';
import type { Command } from 'commander';
import { setTimeout as pause } from 'node:timers/promises';
import { openStream } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { NoAnswer, Refused } from '../failures.ts';
import { printable } from '../print.ts';
import { wholeNumberOf } from '../whole-number.ts';
import { withTenant } from './by-whom.ts';
import { commandNamed } from './command-named.ts';

type Line = { at: string; what: string; id: string; text: string };

export function addTailCommand(program: Command, context: CommandContext): void {
  withTenant(commandNamed(program, 'tail'))
    .option('--lines <number>', 'ends after so many lines; else Ctrl-C ends it')
    .addHelpText(
      'after',
      '\nWith --json, a line of JSON for each line, and for each remark on stderr.',
    )
    .action(async ({ tenant, lines }: { tenant: string; lines?: string }) => {
      const most = lines === undefined ? Infinity : wholeNumberOf(lines, '--lines');
      const ended = new AbortController();
      const release = context.onInterrupt(() => ended.abort());
      try {
        await follow(context, tenant, { most, signal: ended.signal });
      } finally {
        release();
      }
    });
}

/**
 * The stream has ids only, so each change is asked for. What is asked may already be newer than
 * the notice: a line that was printed before, word for word, is not printed again. Once it has
 * begun, a portal that is away or busy is asked again until it answers.
 */
async function follow(
  context: CommandContext,
  tenantId: string,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<void> {
  const { printLine, warn } = context;
  const printed = new Set<string>();
  let hasBegun = false;
  let isAway = false;
  while (!signal.aborted) {
    try {
      for await (const notice of noticesOf(context, tenantId, signal)) {
        if (notice.type === 'resync') {
          warn(hasBegun ? 'Connected again; some may be missing.' : `Following ${tenantId}.`);
          hasBegun = true;
          isAway = false;
          continue;
        }
        for (const line of await linesOf(context, tenantId, notice.changes)) {
          const key = JSON.stringify([line.what, line.id, line.text]);
          if (printed.has(key)) continue;
          remember(printed, key);
          const { at, what, id, text } = line;
          printLine(line, printable(`${at}  ${what.padEnd(8)}  ${id}  ${text}`));
          most -= 1;
          if (most <= 0) return;
        }
      }
    } catch (error) {
      if (!hasBegun || !mayPass(error)) throw error;
      if (!isAway) warn(`Trying again: ${printable(error.message)}`);
      isAway = true;
    }
    // The portal ends a stream now and then, and a new one begins with `resync`.
    await pause(reconnectMs, undefined, { signal }).catch(() => undefined);
  }
}

async function* noticesOf(
  { connect }: CommandContext,
  tenantId: string,
  signal: AbortSignal,
): AsyncGenerator<ChangeNotice> {
  const path = pathOf<string>(changeRoutes.followChanges.path, { tenantId });
  for await (const data of openStream(await connect(), path, signal)) {
    yield JSON.parse(data) as ChangeNotice;
  }
}

function mayPass(error: unknown): error is NoAnswer | Refused {
  if (error instanceof Refused) return [429, 503].includes(error.problem.status);
  return error instanceof NoAnswer;
}

const reconnectMs = 1_000;
const mostRemembered = 10_000;

function remember(printed: Set<string>, key: string): void {
  printed.add(key);
  for (const oldest of printed) {
    if (printed.size <= mostRemembered) return;
    printed.delete(oldest);
  }
}

/** In the order of the flow, whatever order a notice has. */
const stages = ['event', 'decision', 'reward', 'delivery'] as const;

async function linesOf(
  context: CommandContext,
  tenantId: string,
  changes: readonly Change[],
): Promise<Line[]> {
  const lines: Line[] = [];
  for (const stage of stages) {
    const ids = changes.flatMap(({ kind, id }) => (kind === stage && id !== null ? [id] : []));
    for (const id of new Set(ids)) {
      try {
        lines.push(await lineOf[stage](context, tenantId, id));
      } catch (error) {
        // It was removed since.
        if (!(error instanceof Refused && error.problem.status === 404)) throw error;
      }
    }
  }
  return lines;
}

const lineOf: Record<
  (typeof stages)[number],
  (context: CommandContext, tenantId: string, id: string) => Promise<Line>
> = {
  async event({ call }, _, eventId) {
    const { body } = await call({ route: readModelRoutes.showEvent, params: { eventId } });
    const { eventType, source, newUserId, ucc, receivedAt } = body;
    const text = `${eventType} by ${source}: user ${newUserId}, code ${ucc ?? 'none'}`;
    return { at: receivedAt, what: 'request', id: eventId, text };
  },
  async decision({ call }, tenantId, eventId) {
    const params = { tenantId, eventId };
    const { body } = await call({ route: historyRoutes.listDecisionVersions, params });
    const newest = body.versions.at(-1);
    if (newest === undefined) throw new Error(`event ${eventId} has no decision`);
    const { outcome, reason, referrerId, campaignId } = newest.decision;
    const parts = [
      outcome,
      reason,
      referrerId && `to ${referrerId}`,
      campaignId && `by ${campaignId}`,
    ];
    const text = parts.filter(Boolean).join(' ');
    return { at: newest.recordedAt, what: 'decision', id: eventId, text };
  },
  async reward({ call }, tenantId, rewardId) {
    const params = { tenantId, rewardId };
    const { body } = await call({ route: historyRoutes.listRewardVersions, params });
    const newest = body.versions.at(-1);
    if (newest === undefined) throw new Error(`reward ${rewardId} has no version`);
    const { state, entitledCredits, recipientId, ruleId } = newest.reward;
    const text = `${state}: ${entitledCredits} credits for ${recipientId} by rule ${ruleId}`;
    return { at: newest.recordedAt, what: 'reward', id: rewardId, text };
  },
  async delivery({ call }, tenantId, eventId) {
    const params = { tenantId, eventId };
    const { body } = await call({ route: deliveryRoutes.showDelivery, params });
    const { state, attempts, recipientId, issuedAt, lastAttempt, finishedAt } = body.delivery;
    const status =
      lastAttempt?.statusCode === undefined ? '' : `, status ${lastAttempt.statusCode}`;
    const text = `${state}: to ${recipientId}, attempt ${attempts}${status}`;
    const at = finishedAt ?? lastAttempt?.startedAt ?? issuedAt;
    return { at, what: 'webhook', id: eventId, text };
  },
};

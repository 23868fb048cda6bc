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
import { Refused } from '../failures.ts';
import { printable } from '../print.ts';
import { wholeNumberOf } from '../whole-number.ts';
import { withTenant } from './by-whom.ts';
import { commandNamed } from './command-named.ts';

type Line = { at: string; what: string; id: string; text: string };

export function addTailCommand(program: Command, context: CommandContext): void {
  withTenant(commandNamed(program, 'tail'))
    .option('--lines <number>', 'ends after so many lines; else Ctrl-C ends it')
    .addHelpText('after', '\nWith --json, a line of JSON for each line.')
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
 * the notice: a line that was printed before, word for word, is not printed again.
 */
async function follow(
  context: CommandContext,
  tenantId: string,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<void> {
  const { connect, printLine, warn } = context;
  const printed = new Set<string>();
  for (let round = 0; !signal.aborted; round += 1) {
    const path = pathOf<string>(changeRoutes.followChanges.path, { tenantId });
    for await (const data of openStream(await connect(), path, signal)) {
      const notice = JSON.parse(data) as ChangeNotice;
      if (notice.type === 'resync') {
        warn(round === 0 ? `Following ${tenantId}.` : 'Connected again; some may be missing.');
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
    // The portal ends a stream now and then, and a new one begins with `resync`.
    await pause(reconnectMs, undefined, { signal }).catch(() => undefined);
  }
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

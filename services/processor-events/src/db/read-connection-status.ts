import { countItems, readFailing } from './connection-metrics.ts';
import { readEventTimes } from './event-times.ts';
import type { Queryable } from './queryable.ts';
import { isSilent } from '../domain/silence.ts';
import type { ConnectionStatus } from './shown-item.ts';

/** How a connection fares. One that is disconnected is not silent: nothing is to come. */
export async function readConnectionStatus(
  db: Queryable,
  { connectionId, status }: { connectionId: string; status: 'active' | 'disconnected' },
): Promise<ConnectionStatus> {
  const [times, failing, items] = await Promise.all([
    readEventTimes(db, [connectionId]),
    readFailing(db, connectionId),
    countItems(db, connectionId),
  ]);
  const { lastEventMs, usualGapMs } = times.get(connectionId) ?? {
    lastEventMs: null,
    usualGapMs: null,
  };
  const isActive = status === 'active';
  return {
    connectionId,
    lastEventAt: lastEventMs === null ? null : new Date(lastEventMs).toISOString(),
    usualGapSeconds: usualGapMs === null ? null : Math.round(usualGapMs / 1_000),
    silent: isActive && isSilent({ lastEventMs, usualGapMs, nowMs: Date.now() }),
    failing: isActive ? failing : null,
    items,
  };
}

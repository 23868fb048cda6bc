import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import type { Gauges } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater, type Work } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { putConnections, putRemovedEndpoint, readRemovedEndpoints } from '../db/connections.ts';
import { readEventTimes } from '../db/event-times.ts';
import type { Refusal } from '../stripe/api.ts';
import { isSilent } from '../domain/silence.ts';

/**
 * What has to be done beside the questions, by any number of processes at once:
 *
 *   connections  what the catalog says of them goes to the table that claims go by; without it nothing of a
 *                connection is asked.
 *   endpoints    one that was rotated away is removed at Stripe when its time is over; a 404 is fine, so it
 *                does not matter how many do it.
 *   silence      a connection that is silent for longer than usual is reported, once each time.
 *
 * When something is asked again is in the needs themselves (domain/next-asking.ts).
 */
export type Maintenance = {
  start(): void;
  /** Connections that are silent for longer than usual, as last looked at. */
  silent(): number;
  gauges: Gauges;
  stop(): Promise<void>;
};

export type MaintenanceSettings = {
  /** Between two looks at what the catalog says of connections. */
  connectionsEveryMs: number;
  /** Between two looks for rotated endpoints whose time is over. */
  endpointsEveryMs: number;
  /** Between two looks for silent connections. */
  silenceEveryMs: number;
};

export const defaultMaintenanceSettings: MaintenanceSettings = {
  connectionsEveryMs: 1_000,
  endpointsEveryMs: 60_000,
  silenceEveryMs: 600_000,
};

/**
 * Removes an endpoint at Stripe with the key of the connection; one that is not there is removed.
 */
export type RemoveEndpoint = (
  connection: ProcessorConnectionRecord,
  endpointId: string,
) => Promise<{ outcome: 'removed' } | Refusal>;

/** The table is dropped at times, or restored: all of it is written so often without any change. */
const allEvery = 30;

export function createMaintenance(options: {
  pool: pg.Pool;
  logger: Logger;
  /** All that the catalog view has. */
  connections: () => readonly ProcessorConnectionRecord[];
  removeEndpoint: RemoveEndpoint;
  settings: MaintenanceSettings;
}): Maintenance {
  const { pool, logger, connections, removeEndpoint, settings } = options;
  const written = new Map<string, number>();
  let silent = new Set<string>();
  let rounds = 0;

  async function writeConnections(): Promise<void> {
    if (rounds % allEvery === 0) written.clear();
    rounds += 1;
    const changed = connections().filter(
      ({ connectionId, version }) => written.get(connectionId) !== version,
    );
    if (changed.length === 0) return;
    await putConnections(pool, changed);
    for (const { connectionId, version } of changed) written.set(connectionId, version);
  }

  async function removeEndpoints(stopping: () => boolean): Promise<void> {
    const nowIso = new Date().toISOString();
    const over = connections().filter(({ previous }) => previous && previous.until <= nowIso);
    if (over.length === 0) return;
    const removed = await readRemovedEndpoints(pool);
    for (const connection of over) {
      const { connectionId, tenantId, previous, sealedApiKey, endpoint } = connection;
      const { id } = previous!;
      if (stopping()) return;
      if (sealedApiKey === null || id === endpoint?.id || removed.get(connectionId) === id)
        continue;
      const outcome = await removeEndpoint(connection, id);
      const about = { connectionId, tenantId, endpointId: id };
      if (outcome.outcome === 'removed') {
        await putRemovedEndpoint(pool, connectionId, id);
        logger.info('an endpoint that was rotated away is removed at Stripe', about);
      } else {
        logger.warn('an endpoint that was rotated away is still there', { ...about, ...outcome });
      }
    }
  }

  async function lookForSilence(): Promise<void> {
    const active = connections().filter(({ status }) => status === 'active');
    const nowMs = Date.now();
    const times = await readEventTimes(
      pool,
      active.map(({ connectionId }) => connectionId),
    );
    const quiet = active.filter(({ connectionId }) => {
      const seen = times.get(connectionId);
      return seen !== undefined && isSilent({ ...seen, nowMs });
    });
    for (const { connectionId, tenantId } of quiet) {
      if (silent.has(connectionId)) continue;
      const { lastEventMs, usualGapMs } = times.get(connectionId)!;
      logger.warn('a connection is silent for longer than usual', {
        connectionId,
        tenantId,
        lastEventAt: lastEventMs === null ? null : new Date(lastEventMs).toISOString(),
        usualGapSeconds: usualGapMs === null ? null : Math.round(usualGapMs / 1_000),
      });
    }
    silent = new Set(quiet.map(({ connectionId }) => connectionId));
  }

  const jobs = [
    repeat('connections', settings.connectionsEveryMs, writeConnections),
    repeat('endpoints', settings.endpointsEveryMs, removeEndpoints),
    repeat('silence', settings.silenceEveryMs, lookForSilence),
  ];

  function repeat(job: string, everyMs: number, work: Work) {
    return createRepeater({
      everyMs,
      work,
      onFailure: (error) => {
        logger.warn('a maintenance job failed; trying again later', { job, error });
      },
    });
  }

  return {
    start() {
      for (const job of jobs) job.start();
    },
    silent: () => silent.size,
    gauges: {
      tributary_processor_connections_silent: {
        help: 'Connections silent for longer than usual.',
        read: () => silent.size,
      },
    },
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

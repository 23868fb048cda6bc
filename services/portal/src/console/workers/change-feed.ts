import type { Change } from '@tributary/contracts/admin/changes';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Logger } from '@tributary/runtime/logger';
import { connectionConfig } from '@tributary/runtime/postgres-connection';
import { createRepeater } from '@tributary/runtime/repeater';
import type { PostgresSettings } from '@tributary/runtime/variables';
import pg from 'pg';
import { askForLife, listenToChanges } from '../db/listen-to-changes.ts';
import { readAnnouncement } from '../db/writes/announce-changes.ts';
import { fromChangeText } from '../domain/change-texts.ts';

/** What changes of the live read model, whichever process writes it. */
export type ChangeFeed = {
  /** Undefined while nothing is heard. Call what it returns to follow no longer. */
  follow(tenantId: string, follower: Follower): (() => void) | undefined;
};

export type Follower = {
  changed(changes: readonly Change[]): void;
  /** Something may have been missed, and nothing more is told: follow again. */
  lost(): void;
};

/**
 * One connection of the process that listens for what the transactions of the read model announce:
 *
 *   deaf ──connected──▶ listening ──connection lost, no answer, or another generation is live──▶ deaf
 *
 * Who follows is told of each loss and has to follow anew, so nobody takes silence for calm.
 */
export function createChangeFeed(options: {
  postgres: PostgresSettings;
  readModel: Pick<ReadModel, 'schema'>;
  logger: Logger;
  everyMs?: number;
}): ChangeFeed & { start(): void; stop(): Promise<void> } {
  const { postgres, readModel, logger, everyMs = 1_000 } = options;
  const followers = new Map<string, Set<Follower>>();
  let listening: { client: pg.Client; schema: string } | undefined;

  async function listen(): Promise<void> {
    const { schema } = readModel;
    const client = new pg.Client({
      ...connectionConfig(postgres, { searchPath: [schema], applicationName: 'portal changes' }),
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      keepAlive: true,
    });
    client.on('error', () => drop(client));
    client.on('end', () => drop(client));
    client.on('notification', ({ payload = '' }) => tell(payload));
    try {
      await client.connect();
      await listenToChanges(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    listening = { client, schema };
  }

  function tell(payload: string): void {
    const { schema, text } = readAnnouncement(payload);
    if (schema !== listening?.schema) return;
    const { tenantId, changes } = heard(text) ?? {};
    // Anybody who may connect may announce: what is not ours to read is as good as a gap.
    if (tenantId === undefined || changes === undefined) return drop(listening.client);
    for (const follower of followers.get(tenantId) ?? []) follower.changed(changes);
  }

  function drop(client: pg.Client): void {
    if (listening?.client !== client) return;
    listening = undefined;
    const all = [...followers.values()].flatMap((some) => [...some]);
    followers.clear();
    for (const follower of all) follower.lost();
    client.end().catch(() => undefined);
  }

  async function look(): Promise<void> {
    if (listening === undefined) return listen();
    const { client, schema } = listening;
    try {
      await askForLife(client);
      if (schema !== readModel.schema) drop(client);
    } catch (error) {
      drop(client);
      throw error;
    }
  }

  const repeater = createRepeater({
    everyMs,
    work: look,
    onFailure: (error) => logger.debug('nothing is heard of changes; trying again', { error }),
  });
  return {
    start: () => repeater.start(),
    async stop() {
      await repeater.stop();
      if (listening) drop(listening.client);
    },
    follow(tenantId, follower) {
      if (listening === undefined) return undefined;
      const own = followers.get(tenantId) ?? new Set();
      followers.set(tenantId, own.add(follower));
      return () => {
        own.delete(follower);
        if (own.size === 0 && followers.get(tenantId) === own) followers.delete(tenantId);
      };
    },
  };
}

/** A server that is silent for longer is taken for gone. */
const answerMs = 3_000;

function heard(text: string): Partial<ReturnType<typeof fromChangeText>> | undefined {
  try {
    return fromChangeText(text);
  } catch {
    return undefined;
  }
}

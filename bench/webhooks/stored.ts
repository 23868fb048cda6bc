import { join } from 'node:path';
import { topicName } from '@tributary/contracts/topics';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { inTransaction } from '@tributary/runtime/postgres';
import { insertDeliveries } from '../../services/webhook-dispatcher/src/db/insert-deliveries.ts';
import { cpuSeconds } from '../process-cpu.ts';
import { startChild } from './child.ts';
import type { Delivery } from './deliveries.ts';
import { keyRing } from './endpoints.ts';
import { relationBytes } from './relation-bytes.ts';
import type { StoredSettings } from './stored-process.ts';
import { createDispatchTables, openDispatchPool } from './stored-tables.ts';
import type { System } from './system.ts';

/** What our promises cost at the least: the bare loop with the same facts and the same rows. */
export function storedLoop(concurrency: number): System {
  return {
    name: `bare loop with facts and rows, ${concurrency} at once`,
    about: 'claims, facts on the log, attempts and results, 500 in a transaction; nothing else',

    async open({ name, servers, endpoints, nodeOptions }) {
      const postgresUrl = await servers.createDatabase(name);
      await createDispatchTables(postgresUrl);
      const pool = openDispatchPool(postgresUrl);
      const wiring = { prefix: `${name}.`, generation: 1, replication: 1, minInsync: 1 };
      const { kafkaBrokers } = servers;
      const kafka = connectTo(kafkaBrokers);
      const specs = topicSpecs(wiring, ['deliveries']);
      await createTopics({ kafka, logger: silentLogger, topics: specs });
      const settings: StoredSettings = {
        ...{ keyRing, endpoints: [...endpoints], concurrency },
        ...{ postgresUrl, kafkaBrokers, topic: topicName('deliveries', wiring) },
      };
      const child = await startChild({
        script: './stored-process.ts',
        settings,
        logFile: join(servers.logs, 'stored.log'),
        nodeOptions,
      });
      return {
        async load(deliveries) {
          for (let from = 0; from < deliveries.length; from += chunk) {
            const rows = deliveries.slice(from, from + chunk).map(rowOf);
            await inTransaction(pool, (tx) => insertDeliveries(tx, rows));
          }
          await pool.query('vacuum analyze');
          await pool.query('checkpoint');
          await child.ask('load', { series: name, count: deliveries.length });
        },
        go: async () => void (await child.ask('go')),
        enqueue: () => Promise.reject(new Error('a bare loop has no queue')),
        isDone: async () => (await child.ask('isDone')) as boolean,
        cpuSeconds: () => ({ sender: cpuSeconds(child.pid), ...servers.cpuSeconds() }),
        postgresBytes: () => relationBytes(pool, ['dispatch']),
        async close() {
          await child.kill();
          await pool.end();
        },
      };
    },
  };
}

const chunk = 2_000;

function rowOf({ issuance, webhookEventId, body }: Delivery) {
  const { tenantId, issuanceId, rewardId, recipientId, issuedAt } = issuance;
  return {
    ...{ webhookEventId, tenantId, issuanceId, rewardId, recipientId },
    body: Buffer.from(body),
    issuedAt: new Date(issuedAt),
  };
}

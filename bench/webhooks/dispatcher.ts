import {
  type CatalogRecord,
  catalogCodec,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import { createAppender, type Entry } from '@tributary/event-log/appender';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { eventually } from '@tributary/testkit/eventually';
import { freePorts } from '@tributary/testkit/free-port';
import pg from 'pg';
import { startGroup } from '../../deploy/local/service-group.ts';
import { serviceTable } from '../../deploy/local/service-table.ts';
import { pickVariables } from '../../deploy/local/service-variables.ts';
import { cpuSeconds } from '../process-cpu.ts';
import type { Delivery } from './deliveries.ts';
import { allowedNetworks, allowedPorts, type Endpoint, keyRing } from './endpoints.ts';
import { relationBytes } from './relation-bytes.ts';
import type { Place, System } from './system.ts';

/**
 * The service itself, with the settings of production but for the address of the sink. It learns of
 * deliveries from the log, as always; until `go` the endpoints are paused.
 */
export const dispatcher = (processes: number): System => ({
  name: processes === 1 ? 'webhook-dispatcher' : `webhook-dispatcher, ${processes} processes`,
  about: 'settings of production, attempts logged, facts on the log',

  async open({ name, servers, endpoints, nodeOptions }) {
    const log = await openLog(servers.kafkaBrokers, name);
    const postgresUrl = await servers.createDatabase(name);
    const pool = new pg.Pool({ connectionString: postgresUrl, max: 2 });
    await log.setEndpoints(endpoints, { version: 1, status: 'paused' });
    const group = await startService({ name, servers, postgresUrl, nodeOptions, processes });
    let loaded = 0;

    return {
      async load(deliveries) {
        loaded += deliveries.length;
        await log.issue(deliveries);
        await eventually(
          async () => {
            const { rows } = await pool.query<{ count: number }>(
              'select count(*)::int from dispatch.delivery where body is not null',
            );
            if (rows[0]?.count !== loaded) throw new Error(`${rows[0]?.count} of ${loaded} there`);
          },
          { deadlineMs: 120_000, everyMs: 200 },
        );
        await pool.query('vacuum analyze');
        await pool.query('checkpoint');
      },
      go: () => log.setEndpoints(endpoints, { version: 2, status: 'active' }),
      enqueue: (delivery) => log.issue([delivery]),
      async isDone() {
        const { rowCount } = await pool.query(
          `select 1 from dispatch.delivery where state = 'pending' and body is not null limit 1`,
        );
        return rowCount === 0;
      },
      cpuSeconds: () => ({
        sender: group.replicas.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
        ...servers.cpuSeconds(),
      }),
      postgresBytes: () => relationBytes(pool, ['dispatch']),
      async close() {
        // Nobody waits for what still hangs; a profile is written at the end of a process that
        // stops.
        if (nodeOptions === undefined) {
          await Promise.all(group.replicas.map((replica) => replica.kill('SIGKILL')));
        }
        await group.stop();
        await pool.end();
        await log.close();
      },
    };
  },
});

async function openLog(kafkaBrokers: string, prefix: string) {
  const kafka = connectTo(kafkaBrokers);
  const wiring = { prefix: `${prefix}.`, generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, wiring);
  await createTopics({ kafka, logger: silentLogger, topics: topicSpecs(wiring, topicsUsed) });
  const appender = createAppender({ kafka, logger: silentLogger });
  await appender.start();
  await eventually(() => {
    if (!appender.health().ok) throw new Error('the appender is not ready');
  });
  /**
   * On a machine that is busy the brokers may be late; a second copy of a record changes nothing.
   */
  const append = (entries: readonly Entry[]) => eventually(() => appender.append(entries));
  return {
    async setEndpoints(
      endpoints: readonly Endpoint[],
      { version, status }: { version: number; status: 'active' | 'paused' },
    ) {
      const publishedAt = new Date().toISOString();
      const entries = endpoints.map((endpoint) => {
        const record: CatalogRecord = {
          schemaVersion: catalogSchemaVersion,
          entity: 'webhook-endpoint',
          ...endpoint,
          ...{ version, status, publishedAt },
        };
        const key = recordKey(endpoint.tenantId);
        return { topic: nameOf('catalog'), key, value: catalogCodec.encode(record) };
      });
      await append(entries);
    },
    async issue(deliveries: readonly Delivery[]) {
      for (let from = 0; from < deliveries.length; from += chunk) {
        await append(
          deliveries.slice(from, from + chunk).map(({ issuance }) => ({
            topic: nameOf('issuances'),
            key: recordKey(issuance.tenantId, issuance.recipientId),
            value: issuanceCodec.encode(issuance),
          })),
        );
      }
    },
    close: () => appender.stop(),
  };
}

const chunk = 2_000;
const topicsUsed = ['issuances', 'deliveries', 'catalog', 'deadLetters'] as const;

async function startService(
  options: Pick<Place, 'name' | 'servers' | 'nodeOptions'> & {
    postgresUrl: string;
    processes: number;
  },
) {
  const { name, servers, postgresUrl, nodeOptions, processes } = options;
  const row = serviceTable.find((service) => service.name === 'webhook-dispatcher')!;
  const values = {
    SERVICE_ENV: 'sandbox',
    TRIBUTARY_LOG_LEVEL: 'warn',
    TRIBUTARY_HOST: '127.0.0.1',
    TRIBUTARY_KAFKA_BROKERS: servers.kafkaBrokers,
    TRIBUTARY_TOPIC_PREFIX: `${name}.`,
    TRIBUTARY_TOPIC_REPLICATION: '1',
    TRIBUTARY_TOPIC_MIN_INSYNC: '1',
    TRIBUTARY_POSTGRES_URL: postgresUrl,
    TRIBUTARY_CONSUMER_GROUP: `${name}.webhook-dispatcher`,
    TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: keyRing,
    TRIBUTARY_INTERNAL_TOKEN: 'only-between-these-processes',
    TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS: allowedNetworks,
    TRIBUTARY_WEBHOOK_ALLOWED_PORTS: allowedPorts,
  };
  const group = startGroup({
    row,
    ports: (await freePorts(processes)).map((adminPort) => ({ port: undefined, adminPort })),
    env: {
      ...pickVariables(values, row.schema),
      ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
    },
    logs: servers.logs,
    say: (line) => console.error(`  ${line}`),
    onChange: () => undefined,
  });
  await group.ready();
  return group;
}

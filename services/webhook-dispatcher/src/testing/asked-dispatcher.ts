import { deliveryCodec, type DeliveryFact } from '@tributary/contracts/delivery-record';
import { checkServiceAnswer } from '@tributary/contracts/testing/admin-answers';
import type { Appender } from '@tributary/event-log/appender';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { readRecords } from '@tributary/event-log/testing/read-records';
import { connectTo, makeTopics, plainTopic } from '@tributary/event-log/testing';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { createAdminApp } from '@tributary/http/admin-listener';
import { createInternalClient } from '@tributary/http/internal-client';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import type { Listener } from '@tributary/http/server';
import { serve } from '@tributary/http/testing';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import type { EndpointTarget } from '../domain/target.ts';
import type { ExchangeEnd } from '../domain/outcome.ts';
import { createInternalRoutes } from '../http/internal-routes.ts';
import { createDispatcherMetrics } from '../metrics.ts';
import { createDispatchDatabase, silentLogger } from './database.ts';
import { attempted } from './facts.ts';
import { incomingIssuances, issuance, uuidOf } from './records.ts';

/**
 * The internal routes over a database and a topic of their own, asked as the portal does. Nothing
 * is sent: the log is read by whoever hands facts to {@link AskedDispatcher.database}.
 */
export type AskedDispatcher = {
  database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  appender: Appender;
  deliveriesTopic: string;
  /** What test sends handed over, and what they are answered. */
  sent: { body: Buffer; endpoint: EndpointTarget }[];
  answer: ExchangeEnd;
  /** How long what was delivered is kept; long, as what specs deliver is of any time. */
  deliveryDays: number;
  /** Whether the log counts as read. */
  mayWrite: boolean;
  /** What happens between an append and the command's own transaction. */
  afterAppend: (facts: DeliveryFact[]) => Promise<unknown>;
  ask(path: readonly string[], body: unknown, tenantId?: string): Promise<StatusAndBody>;
  /** Facts of these deliveries, as the log has them, once each. */
  factsOf(...ids: string[]): Promise<DeliveryFact[]>;
  /**
   * So many issuances, a minute apart from {@link minute}(0) on; of recipients r0, r1, r2 in turn.
   */
  issue(count: number, tenantId?: string): Promise<string[]>;
  /** With what was changed above; the database stays. */
  restart(): Promise<void>;
  /** An empty database for the next test. */
  renew(): Promise<void>;
  end(): Promise<void>;
};

export type StatusAndBody = [status: number | string, body: Record<string, unknown>];

const token = 'test-internal-token';

export async function createAskedDispatcher(): Promise<AskedDispatcher> {
  const kafka: KafkaConnection = connectTo((await getServers()).kafkaBrokers);
  const deliveriesTopic = `${uniquePrefix()}deliveries`;
  await makeTopics(kafka, plainTopic(deliveriesTopic));
  const appender = await startPatientAppender(kafka);
  let listener: Listener;
  let named = 0;

  async function listen(): Promise<void> {
    const registry = createRegistry('test');
    const routes = createInternalRoutes({
      pool: asked.database.pool,
      logger: silentLogger,
      appender: {
        async append(entries) {
          const places = await appender.append(entries);
          await asked.afterAppend(
            entries.map(({ value }) => JSON.parse(String(value)) as DeliveryFact),
          );
          return places;
        },
      },
      deliveriesTopic,
      send: ({ body }, endpoint) => {
        asked.sent.push({ body, endpoint });
        return Promise.resolve(asked.answer);
      },
      metrics: createDispatcherMetrics(registry),
      mayWrite: () => asked.mayWrite,
      becomeCurrent: () => Promise.resolve(true),
      failingAfterMs: 48 * 3_600_000,
      deliveryDays: asked.deliveryDays,
    });
    const router = createInternalRouter(routes, { logger: silentLogger });
    const internal = { tokens: [token], router };
    const service = 'webhook-dispatcher';
    listener = await serve(createAdminApp({ service, registry, checks: {}, internal }));
  }

  const asked: AskedDispatcher = {
    database: await createDispatchDatabase(),
    appender,
    deliveriesTopic,
    sent: [],
    answer: { end: 'no-answer', result: 'timeout' },
    deliveryDays: 3_650,
    mayWrite: true,
    afterAppend: () => Promise.resolve(),

    async ask(path, body, tenantId = 't1') {
      const client = createInternalClient({
        service: 'webhook-dispatcher',
        baseUrl: `http://127.0.0.1:${listener.port}`,
        token,
        logger: silentLogger,
      });
      const given = await client.post(['tenants', tenantId, ...path], body);
      if (given.outcome === 'answered') {
        const route = { method: 'POST', path: `/tenants/${tenantId}/${path.join('/')}` };
        checkServiceAnswer('webhook-dispatcher', route, given);
        return [given.status, given.body as StatusAndBody[1]];
      }
      if (given.outcome === 'unavailable') return [given.outcome, { detail: given.detail }];
      const { status, detail, errors } = given.problem;
      return [status, { detail, ...(errors && { errors }) }];
    },

    async factsOf(...ids) {
      const facts = await readRecords(kafka, deliveriesTopic, deliveryCodec);
      return facts.filter(({ webhookEventId }) => ids.includes(webhookEventId));
    },

    async issue(count, tenantId = 't1') {
      // Ids of their own for each test: the topic is shared.
      named += 1;
      const ids = Array.from({ length: count }, (_, n) => uuidOf(`${named}-${n}`));
      await asked.database.apply(
        ...incomingIssuances(
          ...ids.map((id, n) =>
            issuance(id, { tenantId, issuedAt: minute(n), recipientId: `r${n % 3}` }),
          ),
        ),
      );
      return ids;
    },

    async restart() {
      await listener.stop();
      await listen();
    },

    async renew() {
      await listener.stop();
      await asked.database.drop();
      asked.database = await createDispatchDatabase();
      asked.mayWrite = true;
      asked.deliveryDays = 3_650;
      asked.afterAppend = () => Promise.resolve();
      asked.sent = [];
      await listen();
    },

    async end() {
      await listener.stop();
      await asked.database.drop();
      await appender.stop();
    },
  };
  await listen();
  return asked;
}

export function minute(n: number): string {
  return new Date(Date.parse('2026-03-01T10:00:00Z') + n * 60_000).toISOString();
}

/** A delivery that ended at {@link minute}(n), at its second attempt. */
export function exhausted(webhookEventId: string, n: number, tenantId = 't1') {
  return attempted(webhookEventId, {
    tenantId,
    attempt: 2,
    outcome: 'exhausted',
    startedAt: minute(n),
    durationMs: 0,
  });
}

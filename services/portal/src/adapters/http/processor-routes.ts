import { ConnectionId } from '@tributary/contracts/processor-record';
import type { InternalClient } from '@tributary/http/internal-client';
import {
  listProcessorConnections,
  readProcessorConnection,
} from '../postgres/processor-connections.ts';
import { type Check, checkSoon, processorQuestions } from '../../commands/ask-processor.ts';
import { connectProcessor } from '../../commands/connect-processor.ts';
import type { Deployment } from '../../commands/deployment.ts';
import { describeProcessor } from '../../commands/describe-processor.ts';
import { disconnectProcessor } from '../../commands/disconnect-processor.ts';
import { repairProcessor } from '../../commands/repair-processor.ts';
import { rotateProcessor } from '../../commands/rotate-processor.ts';
import { readEmptyBody } from './bodies.ts';
import { existingTenant } from './existing-tenant.ts';
import { answerOf } from './internal-answer.ts';
import {
  readConnectBody,
  readDisconnectBody,
  readProcessorRotateBody,
  readReconcileBody,
  readRepairBody,
} from './processor-bodies.ts';
import { noSuchConnection, refuseConnection } from './processor-refusals.ts';
import type { AdminRequest, Answer, Handler, Route } from './route.ts';

/** The edge waits for 30 s in all; a check after a change takes what is left of them. */
const answerMs = 26_000;
const mostCheckMs = 10_000;

/**
 * Connections to payment processors: the catalog has them, and processor-events alone asks Stripe.
 * It also knows how each fares; while it is away they are listed without that.
 */
export function processorRoutes(deployment: Deployment, processor: InternalClient): Route[] {
  const { pool } = deployment;
  const questionsOf = (request: AdminRequest) => processorQuestions(processor, request);

  /** Answers with what is left to say after `act`, which is given the connection of the path. */
  const acting =
    <B>(
      readBody: (request: AdminRequest) => Promise<B>,
      act: (connection: Named, body: B, request: AdminRequest) => Promise<Answer>,
    ): Handler =>
    async (request) => {
      const body = await readBody(request);
      const tenantId = await existingTenant(deployment, request);
      return act({ tenantId, connectionId: connectionIdOf(request) }, body, request);
    };

  const checkAfter = (
    connection: Named,
    request: AdminRequest,
    { startedAt, repaired = [] }: { startedAt: number; repaired?: readonly string[] },
  ): Promise<Check | undefined> => {
    const leftMs = answerMs - (performance.now() - startedAt);
    const forMs = Math.min(leftMs, mostCheckMs);
    return checkSoon(questionsOf(request), connection, { forMs, repaired });
  };

  /** Members of each connection, or why there are none. */
  async function faring(tenantId: string, request: AdminRequest) {
    const path = ['tenants', tenantId, 'connections', 'status'];
    const answer = await processor.post(path, {}, request);
    if (answer.outcome !== 'answered') {
      const detail = answer.outcome === 'refused' ? answer.problem.detail : answer.detail;
      return { of: () => ({}), about: { statusUnavailable: detail } };
    }
    const { connections } = answer.body as { connections: { connectionId: string }[] };
    const byId = new Map(connections.map((one) => [one.connectionId, one]));
    return { of: (id: string): object => byId.get(id) ?? {}, about: {} };
  }

  return [
    {
      path: '/api/tenants/:tenantId/processor-connections',
      methods: {
        GET: async (request) => {
          const tenantId = await existingTenant(deployment, request);
          const rows = await listProcessorConnections(pool, tenantId);
          const { of, about } = await faring(tenantId, request);
          const connections = rows.map((row) => ({
            ...of(row.connectionId),
            ...describeProcessor(deployment, row),
          }));
          return { status: 200, body: { connections, ...about } };
        },
        POST: async (request) => {
          const startedAt = performance.now();
          const wish = readConnectBody(await request.json());
          const tenantId = await existingTenant(deployment, request);
          const questions = questionsOf(request);
          const done = await connectProcessor(deployment, questions, tenantId, wish);
          if (done.outcome !== 'connected') throw refuseConnection(deployment, done);
          const connection = describeProcessor(deployment, done.row);
          const check = await checkAfter(done.row, request, { startedAt });
          return { status: done.isNew ? 201 : 200, body: { ...connection, check: check ?? null } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/processor-connections/:connectionId',
      methods: {
        GET: async (request) => {
          const tenantId = await existingTenant(deployment, request);
          const connectionId = connectionIdOf(request);
          const row = await readProcessorConnection(pool, tenantId, connectionId);
          if (row === undefined) throw noSuchConnection();
          const { of, about } = await faring(tenantId, request);
          const body = { ...of(connectionId), ...describeProcessor(deployment, row), ...about };
          return { status: 200, body };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/processor-connections/:connectionId/check',
      methods: { POST: acting(readNothing, ask('check')) },
    },
    {
      path: '/api/tenants/:tenantId/processor-connections/:connectionId/reconcile',
      methods: {
        POST: acting(async (request) => readReconcileBody(await request.json()), ask('reconcile')),
      },
    },
    {
      path: '/api/tenants/:tenantId/processor-connections/:connectionId/rotate',
      methods: {
        POST: acting(
          async (request) => readProcessorRotateBody(await request.optionalJson()),
          async (connection, wish, request) => {
            const done = await rotateProcessor(deployment, questionsOf(request), connection, wish);
            if (done.outcome !== 'rotated') throw refuseConnection(deployment, done);
            return { status: 200, body: describeProcessor(deployment, done.row) };
          },
        ),
      },
    },
    {
      path: '/api/tenants/:tenantId/processor-connections/:connectionId/repair',
      methods: {
        POST: acting(
          async (request) => readRepairBody(await request.optionalJson()),
          async (connection, wish, request) => {
            const startedAt = performance.now();
            const done = await repairProcessor(deployment, questionsOf(request), connection, wish);
            if (done.outcome !== 'repaired') throw refuseConnection(deployment, done);
            const { row, repaired } = done;
            // What nothing was done about is as it was found.
            const check =
              repaired.length === 0
                ? done.check
                : await checkAfter(connection, request, { startedAt, repaired });
            const { ok = null, findings = [] } = check ?? {};
            const body = { ...describeProcessor(deployment, row), repaired, ok, findings };
            return { status: 200, body };
          },
        ),
      },
    },
    {
      path: '/api/tenants/:tenantId/processor-connections/:connectionId/disconnect',
      methods: {
        POST: acting(
          async (request) => readDisconnectBody(await request.json()),
          async (connection, wish, request) => {
            const questions = questionsOf(request);
            const done = await disconnectProcessor(deployment, questions, connection, wish);
            if (done.outcome !== 'disconnected') throw refuseConnection(deployment, done);
            const { row, removed, left, forgotten } = done;
            const about = forgotten ? { status: 'disconnected' } : {};
            const body = { ...describeProcessor(deployment, row), ...about, removed, left };
            return { status: 200, body };
          },
        ),
      },
    },
  ];

  /** Only of what is in the catalog: processor-events knows no other. */
  function ask(verb: 'check' | 'reconcile') {
    return async (connection: Named, body: object, request: AdminRequest): Promise<Answer> => {
      const { tenantId, connectionId } = connection;
      const row = await readProcessorConnection(pool, tenantId, connectionId);
      if (row === undefined) throw noSuchConnection();
      if (row.status !== 'active') {
        throw refuseConnection(deployment, { outcome: 'not-active', status: row.status });
      }
      const path = ['tenants', tenantId, 'connections', connectionId, verb];
      return answerOf(await processor.post(path, body, request));
    };
  }
}

type Named = { tenantId: string; connectionId: string };

async function readNothing(request: AdminRequest): Promise<object> {
  return readEmptyBody(await request.optionalJson());
}

/** What breaks the form of an id cannot exist. */
function connectionIdOf(request: AdminRequest): string {
  const connectionId = request.param('connectionId');
  if (!connectionForm.test(connectionId)) throw noSuchConnection();
  return connectionId;
}

const connectionForm = new RegExp(ConnectionId.pattern ?? '');

import {
  processorRoutes as declared,
  processorServiceRoutes,
} from '@tributary/contracts/admin/processor';
import { ConnectionId } from '@tributary/contracts/processor-record';
import { askService } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import {
  listProcessorConnections,
  readProcessorConnection,
} from '../catalog/db/processor-connections.ts';
import { type Check, checkWithin, processorQuestions } from '../catalog/commands/ask-processor.ts';
import { connectProcessor } from '../catalog/commands/connect-processor.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { describeProcessor } from '../catalog/commands/describe-processor.ts';
import { disconnectProcessor } from '../catalog/commands/disconnect-processor.ts';
import { repairProcessor } from '../catalog/commands/repair-processor.ts';
import { rotateProcessor } from '../catalog/commands/rotate-processor.ts';
import { existingTenant } from './existing-tenant.ts';
import { forward } from './forward.ts';
import { noSuchConnection, refuseConnection } from './processor-refusals.ts';
import { serve, type ServedRoute } from './route.ts';
import { isPublished } from './when-published.ts';

/** The edge waits for 30 s in all; a check after a change takes what is left of them. */
const answerMs = 26_000;

/**
 * Connections to payment processors: the catalog has them, and processor-events alone asks Stripe.
 * It also knows how each fares; while it is away they are listed without that.
 */
export function processorRoutes(deployment: Deployment, processor: InternalClient): ServedRoute[] {
  const { pool } = deployment;
  type About = { requestId: string | undefined };
  const questionsOf = (asked: About) => processorQuestions(processor, asked);

  const namedBy = async (asked: { params: Named }): Promise<Named> => {
    const tenantId = await existingTenant(deployment, asked);
    return { tenantId, connectionId: connectionIdOf(asked) };
  };

  const checkAfter = async (
    connection: Named,
    asked: About,
    startedAt: number,
  ): Promise<Check | undefined> => {
    await isPublished(deployment, connection.tenantId);
    const leftMs = answerMs - (performance.now() - startedAt);
    return checkWithin(leftMs, questionsOf(asked), connection);
  };

  /** Members of each connection, or why there are none. */
  async function faring(tenantId: string, { requestId }: About) {
    const question = { params: { tenantId }, requestId };
    const route = processorServiceRoutes.readConnectionStatus;
    const answer = await askService(processor, route, question);
    if (answer.outcome !== 'answered') {
      const detail = answer.outcome === 'refused' ? answer.problem.detail : answer.detail;
      return { of: () => ({}), about: { statusUnavailable: detail } };
    }
    const byId = new Map(answer.body.connections.map((one) => [one.connectionId, one]));
    return { of: (id: string) => byId.get(id) ?? {}, about: {} };
  }

  /** Only of what is in the catalog: processor-events knows no other. */
  async function isOpen(asked: { params: Named }): Promise<void> {
    const { tenantId, connectionId } = await namedBy(asked);
    const row = await readProcessorConnection(pool, tenantId, connectionId);
    if (row === undefined) throw noSuchConnection();
    if (row.status !== 'active') {
      throw refuseConnection(deployment, { outcome: 'not-active', status: row.status });
    }
  }

  return [
    serve(declared.listConnections)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const rows = await listProcessorConnections(pool, tenantId);
      const { of, about } = await faring(tenantId, asked);
      const connections = rows.map((row) => ({
        ...of(row.connectionId),
        ...describeProcessor(deployment, row),
      }));
      return { status: 200, body: { connections, ...about } };
    }),
    serve(declared.connectProcessor)(async (asked) => {
      const startedAt = performance.now();
      const tenantId = await existingTenant(deployment, asked);
      const questions = questionsOf(asked);
      const done = await connectProcessor(deployment, questions, tenantId, asked.body);
      if (done.outcome !== 'connected') throw refuseConnection(deployment, done);
      const connection = describeProcessor(deployment, done.row);
      const check = await checkAfter(done.row, asked, startedAt);
      return { status: done.isNew ? 201 : 200, body: { ...connection, check: check ?? null } };
    }),
    serve(declared.showConnection)(async (asked) => {
      const { tenantId, connectionId } = await namedBy(asked);
      const row = await readProcessorConnection(pool, tenantId, connectionId);
      if (row === undefined) throw noSuchConnection();
      const { of, about } = await faring(tenantId, asked);
      const body = { ...of(connectionId), ...describeProcessor(deployment, row), ...about };
      return { status: 200, body };
    }),
    forward(declared.checkConnection, processor, { check: isOpen }),
    forward(declared.reconcileConnection, processor, { check: isOpen }),
    serve(declared.rotateConnection)(async (asked) => {
      const named = await namedBy(asked);
      const done = await rotateProcessor(deployment, questionsOf(asked), named, asked.body);
      if (done.outcome !== 'rotated') throw refuseConnection(deployment, done);
      return { status: 200, body: describeProcessor(deployment, done.row) };
    }),
    serve(declared.repairConnection)(async (asked) => {
      const named = await namedBy(asked);
      const startedAt = performance.now();
      const done = await repairProcessor(deployment, questionsOf(asked), named, asked.body);
      if (done.outcome !== 'repaired') throw refuseConnection(deployment, done);
      const { row, repaired } = done;
      // What nothing was done about is as it was found.
      const check = repaired.length === 0 ? done.check : await checkAfter(named, asked, startedAt);
      const { ok = null, findings = [] } = check ?? {};
      return {
        status: 200,
        body: { ...describeProcessor(deployment, row), repaired, ok, findings },
      };
    }),
    serve(declared.disconnectProcessor)(async (asked) => {
      const named = await namedBy(asked);
      const done = await disconnectProcessor(deployment, questionsOf(asked), named, asked.body);
      if (done.outcome !== 'disconnected') throw refuseConnection(deployment, done);
      const { row, removed, left, forgotten } = done;
      const shown = describeProcessor(deployment, row);
      const status = forgotten ? 'disconnected' : shown.status;
      return { status: 200, body: { ...shown, status, removed, left } };
    }),
  ];
}

type Named = { tenantId: string; connectionId: string };

/** What breaks the form of an id cannot exist. */
function connectionIdOf({ params: { connectionId } }: { params: Named }): string {
  if (!connectionForm.test(connectionId)) throw noSuchConnection();
  return connectionId;
}

const connectionForm = new RegExp(ConnectionId.pattern ?? '');

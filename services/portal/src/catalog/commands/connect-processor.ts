import type { BodyOf } from '@tributary/contracts/admin/admin-route';
import type { processorRoutes } from '@tributary/contracts/admin/processor';
import { equalInConstantTime } from '@tributary/runtime/secrets';
import { randomBytes } from 'node:crypto';
import {
  insertOpeningConnection,
  listProcessorConnections,
  type ProcessorConnectionRow,
  updateOpeningConnection,
} from '../db/processor-connections.ts';
import { lockTenant } from '../db/tenants.ts';
import type { EndpointAtStripe, NotDone, ProcessorQuestions } from './ask-processor.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { webhookUrlOf } from './describe-processor.ts';
import { type Held, holdProcessor } from './hold-processor.ts';
import { open, seal } from './sealing.ts';
import { type OpenedConnection, storeProcessor } from './store-processor.ts';

export type ConnectRequest = BodyOf<(typeof processorRoutes)['connectProcessor']>;

export type ConnectOutcome =
  | { outcome: 'connected'; row: ProcessorConnectionRow; isNew: boolean }
  /** The key is connected with another tax policy or version. */
  | { outcome: 'other-settings'; row: ProcessorConnectionRow }
  | { outcome: 'not-opened'; row: ProcessorConnectionRow; answer: NotDone }
  | { outcome: 'no-secret'; row: ProcessorConnectionRow; endpointId: string }
  /** A live key at a sandbox, or a test key at production: nothing is kept of it. */
  | { outcome: 'other-mode' }
  | { outcome: 'no-tenant' | 'busy' };

/** Stripe's API version when nobody names one; our fixtures are of this one (packages/testkit). */
export const defaultApiVersion = '2026-08-26.dahlia';

/**
 * Three steps, and whoever dies between them is followed by the next one with the same key:
 *
 * 1. A row with an id, `opening`. The tenant's lock makes it one row of a key, however many
 *    connect.
 * 2. processor-events makes the endpoint at Stripe. The id is in its address and its metadata, so
 *    that asked again it is the same endpoint.
 * 3. Row and record in one transaction. Only now do events of the endpoint belong to somebody.
 *
 * So a connection that is on the log has an endpoint and its secret, and an endpoint that is not is
 * found by the row. A key is one connection of a tenant: again, it is the one that is there.
 */
export async function connectProcessor(
  deployment: Deployment,
  questions: ProcessorQuestions,
  tenantId: string,
  input: ConnectRequest,
): Promise<ConnectOutcome> {
  // Stripe says it in the key.
  const isLive = /^.._live_/.test(input.apiKey);
  if (isLive !== (deployment.environment === 'prod')) return { outcome: 'other-mode' };
  const found = await findOrInsert(deployment, tenantId, input);
  if (found === undefined) return { outcome: 'no-tenant' };
  if (found.status === 'active') return alreadyThere(found, input);
  const about = { tenantId, connectionId: found.connectionId };
  const opened = await holdProcessor(deployment, about, ({ holder, row }) =>
    openOnce(deployment, questions, { holder, row }, input),
  );
  // It was let go meanwhile: the next attempt makes another one.
  return opened.outcome === 'no-connection' ? { outcome: 'busy' } : opened;
}

async function openOnce(
  deployment: Deployment,
  questions: ProcessorQuestions,
  { holder, row }: Held,
  input: ConnectRequest,
): Promise<ConnectOutcome> {
  // Somebody else was faster.
  if (row.status === 'active') return alreadyThere(row, input);
  if (row.status === 'disconnected') return { outcome: 'busy' };
  const wanted = { ...row, ...settingsOf(row, input), reason: undefined };
  await updateOpeningConnection(deployment.pool, holder, wanted);
  return openAtStripe(deployment, questions, { holder, row: wanted }, input);
}

async function openAtStripe(
  deployment: Deployment,
  questions: ProcessorQuestions,
  { holder, row }: Held,
  { apiKey, endpointId, signingSecret, by }: ConnectRequest,
): Promise<ConnectOutcome> {
  const { pool } = deployment;
  const { tenantId, connectionId, apiVersion } = row;
  const url = webhookUrlOf(deployment, connectionId);
  const asked = { apiKey, apiVersion, url, ...(endpointId !== undefined && { endpointId }) };
  const answer = await questions.open(row, asked);
  if (answer.outcome !== 'answered') {
    const reason =
      answer.outcome === 'refused' ? answer.problem.detail.slice(0, mostReason) : undefined;
    await updateOpeningConnection(pool, holder, { ...row, reason });
    return { outcome: 'not-opened', row, answer };
  }
  const { endpoint, livemode } = answer.body;
  const secret = secretOf(endpoint, signingSecret);
  if (secret === undefined) return { outcome: 'no-secret', row, endpointId: endpoint.id };

  const stored = await storeProcessor(deployment, holder, (): OpenedConnection => ({
    ...row,
    status: 'active',
    livemode,
    connectedAt: undefined,
    endpoint: {
      id: endpoint.id,
      sealedSecret: seal(deployment, tenantId, 'processor-signing-secret', secret),
    },
    previous: undefined,
    reason: undefined,
    changedBy: by,
  }));
  return stored === undefined
    ? { outcome: 'busy' }
    : { outcome: 'connected', row: stored, isNew: true };
}

/** Stripe tells it when it makes an endpoint; else somebody has read it there. */
export function secretOf(
  endpoint: EndpointAtStripe,
  given: string | undefined,
): string | undefined {
  return endpoint.secret ?? given;
}

/** The tenant's connection with this key, an opening one when there is none. */
async function findOrInsert(
  deployment: Deployment,
  tenantId: string,
  input: ConnectRequest,
): Promise<ProcessorConnectionRow | undefined> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return undefined;
    const rows = await listProcessorConnections(tx, tenantId);
    const known = rows.find((row) => hasKey(deployment, row, input.apiKey));
    if (known !== undefined) return known;
    const connectionId = randomBytes(16).toString('hex');
    const { apiVersion = defaultApiVersion, taxPolicy = 'gross' } = input;
    const sealedApiKey = seal(deployment, tenantId, 'processor-api-key', input.apiKey);
    const at = clock.now();
    const opening = { connectionId, tenantId, apiVersion, taxPolicy, sealedApiKey };
    await insertOpeningConnection(tx, { ...opening, at });
    return {
      ...{ ...opening, status: 'opening', version: 0, changedAt: at },
      ...{ livemode: undefined, connectedAt: undefined, endpoint: undefined },
      ...{ previous: undefined, reason: undefined, changedBy: undefined },
    };
  });
}

/** A disconnected one has none. */
export function hasKey(
  rings: Pick<Deployment, 'keyRings'>,
  { tenantId, sealedApiKey }: ProcessorConnectionRow,
  apiKey: string,
): boolean {
  if (sealedApiKey === undefined) return false;
  return equalInConstantTime(open(rings, tenantId, 'processor-api-key', sealedApiKey), apiKey);
}

function settingsOf(row: ProcessorConnectionRow, input: ConnectRequest) {
  const { apiVersion = row.apiVersion, taxPolicy = row.taxPolicy } = input;
  return { apiVersion, taxPolicy };
}

function alreadyThere(row: ProcessorConnectionRow, input: ConnectRequest): ConnectOutcome {
  const { apiVersion, taxPolicy } = settingsOf(row, input);
  const isSame = apiVersion === row.apiVersion && taxPolicy === row.taxPolicy;
  return isSame ? { outcome: 'connected', row, isNew: false } : { outcome: 'other-settings', row };
}

/** As the record's remarks. */
const mostReason = 1_000;

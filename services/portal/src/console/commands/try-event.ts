import type {
  ParamsOf,
  ServiceAnswerOf,
  ServiceRoute,
} from '@tributary/contracts/admin/admin-route';
import { dryRunRoutes } from '@tributary/contracts/admin/campaigns';
import { showReward } from '@tributary/contracts/reward-state';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import type { V2Event } from '@tributary/contracts/public/v2-events';
import { toEventRecord } from '@tributary/contracts/v2-records';
import { askService, type ServiceQuestion } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import { createIdSource } from '@tributary/runtime/ids';
import { inTransaction } from '@tributary/runtime/postgres';
import { readNewestRevision } from '../../catalog/db/campaign-revisions.ts';
import { readTenant } from '../../catalog/db/tenants.ts';
import { describeTrial, type Trial } from '../domain/describe-trial.ts';
import type { Deployment } from '../../catalog/commands/deployment.ts';

/**
 * Who is asked for what only they can say; of a dry run attribution and rewards run their real path
 * and take it back.
 */
export type OtherServices = {
  attribution: InternalClient;
  rewards: InternalClient;
  webhookDispatcher: InternalClient;
  replay: InternalClient;
  processor: InternalClient;
};

export type TryOutcome =
  | { outcome: 'tried'; trial: TriedEvent }
  | { outcome: 'no-tenant' }
  | { outcome: 'no-campaign' }
  | { outcome: 'unavailable'; detail: string };

export type TriedEvent = Trial & {
  tenantId: string;
  eventType: string;
  /** The time at which it would have been accepted. */
  receivedAt: string;
  explanation: string[];
};

/**
 * What would happen if this event came now, and why; nothing is written anywhere. attribution
 * decides and rewards folds what was decided, both from what they have read so far, so what is
 * still on its way to them is not in the answer.
 */
export async function tryEvent(
  deployment: Deployment,
  services: OtherServices,
  input: {
    tenantId: string;
    campaignId: string;
    event: V2Event;
    requestId: string | undefined;
  },
): Promise<TryOutcome> {
  const { tenantId, campaignId, event } = input;
  const missing = await findMissing(deployment, tenantId, campaignId);
  if (missing !== undefined) return { outcome: missing };

  const record = toRecord(tenantId, event, deployment.clock.now());
  const decided = await ask(services.attribution, dryRunRoutes.tryAttribution, input, {
    event: record,
  });
  if ('detail' in decided) return { outcome: 'unavailable', detail: decided.detail };
  const { decisions } = decided.body;
  const own = decisions.find((decision) => decision.eventId === record.eventId);
  if (own === undefined) throw new Error('attribution decided nothing about the event tried');

  const earned = await ask(services.rewards, dryRunRoutes.tryRewards, input, { decisions });
  if ('detail' in earned) return { outcome: 'unavailable', detail: earned.detail };
  const trial: Trial = {
    campaignId,
    decision: own,
    changedDecisions: decisions
      .filter((decision) => decision !== own)
      .map((after) => pair(after, decided.body.before, 'eventId')),
    rewards: earned.body.rewards.map((after) =>
      pair(showReward(after), earned.body.before.map(showReward), 'rewardId'),
    ),
    failed: earned.body.failed,
    waiting: earned.body.waiting,
    complete: decided.body.complete,
  };
  const { eventType, receivedAt } = record;
  const explanation = describeTrial(trial);
  return { outcome: 'tried', trial: { tenantId, eventType, receivedAt, ...trial, explanation } };
}

async function findMissing(
  { pool }: Deployment,
  tenantId: string,
  campaignId: string,
): Promise<'no-tenant' | 'no-campaign' | undefined> {
  return inTransaction(pool, async (tx) => {
    if ((await readTenant(tx, tenantId)) === undefined) return 'no-tenant';
    const campaign = await readNewestRevision(tx, tenantId, campaignId);
    return campaign === undefined ? 'no-campaign' : undefined;
  });
}

const ids = createIdSource();

/** As ingest-api would append it at this moment. E-mail and name are not part of it (design 5). */
function toRecord(tenantId: string, { eventType, body }: V2Event, at: Date) {
  const instant = parseTimestamp(body.occurredAt);
  if (!instant) throw new Error('a body passed validation with an invalid occurredAt');
  const key = body.idempotencyKey?.trim();
  return toEventRecord(eventType, body, {
    tenantId,
    eventId: ids.uuidv7(at.getTime()),
    receivedAt: at.toISOString(),
    occurredAtSeconds: instant.seconds,
    warnings: [],
    ...(key === undefined ? {} : { idempotency: { key, fingerprint: '' } }),
  });
}

async function ask<const R extends ServiceRoute>(
  service: InternalClient,
  route: R,
  { requestId }: { requestId: string | undefined },
  body: ServiceQuestion<R>['body'],
): Promise<{ body: ServiceAnswerOf<R> } | { detail: string }> {
  const params = {} as ParamsOf<R>;
  const answer = await askService(service, route, { params, body, requestId });
  if (answer.outcome === 'unavailable') return { detail: answer.detail };
  if (answer.outcome === 'refused') throw new Error(`a trial was refused: ${answer.problem.code}`);
  return { body: answer.body };
}

function pair<T, K extends keyof T>(after: T, olds: readonly T[], id: K): { before?: T; after: T } {
  const before = olds.find((old) => old[id] === after[id]);
  return before === undefined ? { after } : { before, after };
}

import type { RequestHandler } from 'express';
import type { AnswerOf } from '@tributary/contracts/admin/admin-route';
import { readModelRoutes } from '@tributary/contracts/admin/read-model';
import { expressPath } from '@tributary/contracts/admin/route-path';
import { codePoints } from '@tributary/contracts/strict-ajv';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { authorizationOf } from '@tributary/http/bearer';
import { sendJson, sendProblem } from '@tributary/http/problem-response';
import type { BearerVerifier } from '@tributary/http/tokens';
import type pg from 'pg';
import { type EventRow, findEvent } from '../console/db/queries/list-events.ts';
import { rewardsOfEvents } from '../console/db/queries/list-rewards.ts';
import { decisionWaitsFor } from '../console/domain/explain/waits-for.ts';
import { isActiveKey } from '../catalog/db/access-keys.ts';
import { toSummary } from './event-routes.ts';
import { asOf } from './paged-answer.ts';

export const ownEventPath = expressPath(readModelRoutes.showEvent.path);

/**
 * GET of one event with the decision on it, for the customer who reported it: the same access token
 * as for /v2. An operator may ask for anybody's. Another tenant's event does not exist for the
 * caller. Whether the key still holds is read from the catalog's own tables each time, so a
 * revoked one is refused from the moment of its revocation.
 */
export function createOwnEventHandler(options: {
  accounts: pg.Pool;
  readModel: ReadModel;
  isOperator: (authorization: string | undefined) => boolean;
  verifyBearer: BearerVerifier;
}): RequestHandler {
  const { accounts, readModel, isOperator, verifyBearer } = options;

  /** Undefined: nobody. null: an operator, who sees every tenant. */
  async function callerOf(authorization: string | undefined): Promise<string | null | undefined> {
    if (isOperator(authorization)) return null;
    const caller = verifyBearer(authorization);
    if (caller === undefined) return undefined;
    const { tenantId, accessKeyId } = caller;
    return (await isActiveKey(accounts, tenantId, accessKeyId)) ? tenantId : undefined;
  }

  return async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    const tenantId = await callerOf(authorizationOf(req));
    if (tenantId === undefined) return sendProblem(res, 'UNAUTHORIZED');
    if (req.method !== 'GET') {
      return sendProblem(res, 'NOT_FOUND', { allow: 'GET', detail: 'This path takes GET only.' });
    }
    const { eventId } = req.params;
    const event = typeof eventId === 'string' ? await find(eventId) : undefined;
    if (event === undefined || (tenantId !== null && event.tenantId !== tenantId)) {
      return sendProblem(res, 'NOT_FOUND', { detail: missing });
    }
    sendJson(res, 200, await describe(event));
  };

  async function find(eventId: string): Promise<EventRow | undefined> {
    if (eventId.includes('\0') || codePoints(eventId) > 255) return undefined;
    return findEvent(readModel.pool, eventId);
  }

  async function describe(event: EventRow): Promise<EventAnswer> {
    const { eventId, tenantId, decision } = event;
    const cause = decision?.refundOf ?? eventId;
    const rewards = await rewardsOfEvents(readModel.pool, tenantId, [cause]);
    return {
      ...toSummary(event),
      tests: decision?.tests ?? [],
      waitsFor: decisionWaitsFor(decision ?? undefined),
      rewards: rewards.map((reward) => ({
        rewardId: reward.rewardId,
        ruleId: reward.ruleId,
        recipientRole: reward.recipientRole,
        recipientId: reward.recipientId,
        state: reward.state,
        entitledCredits: reward.entitledCredits,
        issuedCredits: reward.issuedCredits,
        maturesAt: reward.maturesAt,
      })),
      asOf: asOf(readModel),
    };
  }
}

type EventAnswer = AnswerOf<(typeof readModelRoutes)['showEvent']>['body'];

const missing =
  'There is no such event, or it is on its way: what was accepted a moment ago appears within seconds.';

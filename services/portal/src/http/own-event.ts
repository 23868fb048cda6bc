import type { IncomingMessage } from 'node:http';
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
import { may } from '../accounts/domain/caller.ts';
import { type EventRow, findEvent } from '../console/db/queries/list-events.ts';
import { rewardsOfEvents } from '../console/db/queries/list-rewards.ts';
import { decisionWaitsFor } from '../console/domain/explain/waits-for.ts';
import { isActiveKey } from '../catalog/db/access-keys.ts';
import { toSummary } from './event-routes.ts';
import type { Identify } from './identify.ts';
import { asOf } from './paged-answer.ts';

const { right } = readModelRoutes.showEvent;
export const ownEventPath = expressPath(readModelRoutes.showEvent.path);

/**
 * GET of one event with the decision on it, for the customer who reported it: the same access token
 * as for /v2. People and API tokens may ask, too, for
 * those of their tenants. Another tenant's event does not exist for the
 * caller. Whether the key still holds is read from the catalog's own tables each time, so a
 * revoked one is refused from the moment of its revocation.
 */
export function createOwnEventHandler(options: {
  accounts: pg.Pool;
  readModel: ReadModel;
  identify: Identify;
  verifyBearer: BearerVerifier;
}): RequestHandler {
  const { accounts, readModel, identify, verifyBearer } = options;

  /** Undefined: nobody. */
  async function seenBy(
    req: IncomingMessage,
  ): Promise<((tenantId: string) => boolean) | undefined> {
    const known = await identify(req);
    if (known.kind !== 'nobody') return (tenantId) => may(known, right, tenantId);
    const caller = verifyBearer(authorizationOf(req));
    if (caller === undefined) return undefined;
    const isActive = await isActiveKey(accounts, caller.tenantId, caller.accessKeyId);
    return isActive ? (tenantId) => tenantId === caller.tenantId : undefined;
  }

  return async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    const sees = await seenBy(req);
    if (sees === undefined) return sendProblem(res, 'UNAUTHORIZED');
    if (req.method !== 'GET') {
      return sendProblem(res, 'NOT_FOUND', { allow: 'GET', detail: 'This path allows only GET.' });
    }
    const { eventId } = req.params;
    const event = typeof eventId === 'string' ? await find(eventId) : undefined;
    if (event === undefined || !sees(event.tenantId)) {
      return sendProblem(res, 'NOT_FOUND', { detail: missing });
    }
    sendJson(res, 200, await describe(event));
  };

  async function find(eventId: string): Promise<EventRow | undefined> {
    if (eventId.includes('\0') || codePoints(eventId) > 255) return undefined;
    return findEvent(readModel.pool, eventId);
  }

  async function describe(event: EventRow): Promise<EventAnswer> {
    const { eventId, tenantId, fact, decision } = event;
    const cause = decision?.refundOf ?? eventId;
    const rewards = await rewardsOfEvents(readModel.pool, tenantId, [cause]);
    return {
      ...toSummary(event),
      accessKeyId: fact?.accessKeyId,
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

import { historyRoutes as declared } from '@tributary/contracts/admin/history';
import { showReward } from '@tributary/contracts/reward-state';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../catalog/commands/deployment.ts';
import {
  listPostings,
  monthsOf,
  type PostingsOf,
  statementOf,
} from '../console/db/queries/postings.ts';
import { decisionVersions, rewardVersions } from '../console/db/queries/versions.ts';
import { possibleRecipient } from './balance-routes.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf, nextCursor, pageOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { serve, type ServedRoute } from './route.ts';

/** What was known before, and what moved credits. */
export function historyRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.listDecisionVersions)(async (asked) => {
      const eventId = possibleId(asked.params.eventId);
      const tenantId = await existingTenant(deployment, asked);
      const known = await decisionVersions(readModel.pool, tenantId, eventId);
      const versions = known.map(({ record: decision, ...version }) => ({ ...version, decision }));
      return { status: 200, body: { versions, asOf: asOf(readModel) } };
    }),
    serve(declared.listRewardVersions)(async (asked) => {
      const rewardId = possibleId(asked.params.rewardId);
      const tenantId = await existingTenant(deployment, asked);
      const known = await rewardVersions(readModel.pool, tenantId, rewardId);
      if (known.length === 0) throw nothing();
      const versions = known.map(({ record, ...version }) => ({
        ...version,
        reward: showReward(record),
      }));
      return { status: 200, body: { versions, asOf: asOf(readModel) } };
    }),
    serve(declared.listPostings)(async (asked) => {
      const of = subjectOf(asked.query);
      const tenantId = await existingTenant(deployment, asked);
      const page = pageOf(asked.query);
      const { items, next } = await listPostings(readModel.pool, tenantId, of, page);
      const body = { postings: items, nextCursor: nextCursor(next), asOf: asOf(readModel) };
      return { status: 200, body };
    }),
    serve(declared.listStatements)(async (asked) => {
      const recipientId = possibleRecipient(asked.params.recipientId);
      const tenantId = await existingTenant(deployment, asked);
      const statements = await monthsOf(readModel.pool, tenantId, recipientId);
      return { status: 200, body: { recipientId, statements, asOf: asOf(readModel) } };
    }),
    serve(declared.showStatement)(async (asked) => {
      const { month } = asked.params;
      if (!/^[0-9]{4}-(0[1-9]|1[0-2])$/.test(month)) throw nothing();
      const recipientId = possibleRecipient(asked.params.recipientId);
      const tenantId = await existingTenant(deployment, asked);
      const statement = await statementOf(
        readModel.pool,
        { tenantId, recipientId, month },
        pageOf(asked.query),
      );
      const { items: postings, next, opening, closing } = statement;
      const shown = { recipientId, month, opening, postings, closing };
      return {
        status: 200,
        body: { ...shown, nextCursor: nextCursor(next), asOf: asOf(readModel) },
      };
    }),
  ];
}

function possibleId(id: string): string {
  if (id.includes('\0')) throw nothing();
  return id;
}

function nothing(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'There is nothing with this name.' });
}

function subjectOf(query: {
  event: string | undefined;
  reward: string | undefined;
  recipient: string | undefined;
}): PostingsOf {
  const { event, reward, recipient } = query;
  const given: PostingsOf[] = [
    ...(event === undefined ? [] : [{ event }]),
    ...(reward === undefined ? [] : [{ reward }]),
    ...(recipient === undefined ? [] : [{ recipient }]),
  ];
  const [of] = given;
  if (of !== undefined && given.length === 1) return of;
  const detail = 'give exactly one of event, reward and recipient';
  const violation = { pointer: '/event', code: 'REQUIRED', detail } as const;
  throw new Refusal('VALIDATION_ERROR', { errors: [violation] });
}

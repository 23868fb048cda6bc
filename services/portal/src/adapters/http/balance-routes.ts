import { codePoints } from '@tributary/contracts/strict-ajv';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { inTransaction } from '@tributary/runtime/postgres';
import type { Deployment } from '../../commands/deployment.ts';
import { campaignBalance, recipientBalance } from '../../read-model/queries/balances.ts';
import { readNewestRevision } from '../postgres/campaign-revisions.ts';
import { noSuchCampaign } from './campaign-routes.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf } from './paged-answer.ts';
import { readQuery } from './query.ts';
import { Refusal } from './refusal.ts';
import type { AdminRequest, Route } from './route.ts';

/** What recipients have, and what campaigns cost. Credits are exact decimals in strings. */
export function balanceRoutes(deployment: Deployment, readModel: ReadModel): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/recipients/:recipientId/balance',
      methods: {
        GET: async (request) => {
          readQuery(request.search, {});
          const recipientId = recipientIdOf(request);
          const tenantId = await existingTenant(deployment, request);
          const { total, campaigns } = await recipientBalance(
            readModel.pool,
            tenantId,
            recipientId,
          );
          const body = { recipientId, ...total, campaigns, asOf: asOf(readModel) };
          return { status: 200, body };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/campaigns/:campaignId/balance',
      methods: {
        GET: async (request) => {
          readQuery(request.search, {});
          const tenantId = await existingTenant(deployment, request);
          const campaignId = request.param('campaignId');
          const newest = await inTransaction(deployment.pool, (tx) =>
            readNewestRevision(tx, tenantId, campaignId.replaceAll('\0', '')),
          );
          if (newest === undefined) throw noSuchCampaign();
          const { total, recipients } = await campaignBalance(
            readModel.pool,
            tenantId,
            newest.campaignId,
          );
          const body = { campaignId: newest.campaignId, ...total, recipients };
          return { status: 200, body: { ...body, asOf: asOf(readModel) } };
        },
      },
    },
  ];
}

/** Anybody may be a recipient; who has earned nothing has a balance of nothing. */
function recipientIdOf(request: AdminRequest): string {
  const id = request.param('recipientId');
  if (!id.includes('\0') && codePoints(id) <= 255) return id;
  throw new Refusal('NOT_FOUND', { detail: 'There can be no user with this id.' });
}

import { readModelRoutes as declared } from '@tributary/contracts/admin/read-model';
import { codePoints } from '@tributary/contracts/strict-ajv';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { inTransaction } from '@tributary/runtime/postgres';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { campaignBalance, recipientBalance } from '../console/db/queries/balances.ts';
import { readNewestRevision } from '../catalog/db/campaign-revisions.ts';
import { noSuchCampaign } from './campaign-routes.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { serve, type ServedRoute } from './route.ts';

/** What recipients have, and what campaigns cost. Credits are exact decimals in strings. */
export function balanceRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.showRecipientBalance)(async (asked) => {
      const recipientId = possibleRecipient(asked.params.recipientId);
      const tenantId = await existingTenant(deployment, asked);
      const { total, campaigns } = await recipientBalance(readModel.pool, tenantId, recipientId);
      const body = { recipientId, ...total, campaigns, asOf: asOf(readModel) };
      return { status: 200, body };
    }),
    serve(declared.showCampaignBalance)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const named = asked.params.campaignId.replaceAll('\0', '');
      const newest = await inTransaction(deployment.pool, (tx) =>
        readNewestRevision(tx, tenantId, named),
      );
      if (newest === undefined) throw noSuchCampaign();
      const { campaignId } = newest;
      const { total, ...counted } = await campaignBalance(readModel.pool, tenantId, campaignId);
      return { status: 200, body: { campaignId, ...total, ...counted, asOf: asOf(readModel) } };
    }),
  ];
}

/** Anybody may be a recipient; who has earned nothing has a balance of nothing. */
export function possibleRecipient(id: string): string {
  if (!id.includes('\0') && codePoints(id) <= 255) return id;
  throw new Refusal('NOT_FOUND', { detail: 'No user can have this id.' });
}

import { RewardRecord } from '@tributary/contracts/reward-record';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../../commands/deployment.ts';
import { listIssuances } from '../../read-model/queries/list-issuances.ts';
import { listRewards } from '../../read-model/queries/list-rewards.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf, nextCursor, pageOf, pageParameters } from './paged-answer.ts';
import { idText, oneOf, readQuery, time } from './query.ts';
import type { Route } from './route.ts';

const { state, recipientRole } = RewardRecord.properties;

const rewardParameters = {
  state: oneOf(...state.anyOf.map((literal) => literal.const), 'capped'),
  recipient: idText(),
  role: oneOf(...recipientRole.anyOf.map((literal) => literal.const)),
  campaign: idText(),
  rule: idText(),
  user: idText(),
  event: idText(),
  from: time(),
  to: time(),
  ...pageParameters,
};

const issuanceParameters = {
  recipient: idText(),
  campaign: idText(),
  reward: idText(),
  from: time(),
  to: time(),
  ...pageParameters,
};

/** What a tenant's users are entitled to, and what of it was issued. */
export function rewardRoutes(deployment: Deployment, readModel: ReadModel): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/rewards',
      methods: {
        GET: async (request) => {
          const query = readQuery(request.search, rewardParameters);
          const tenantId = await existingTenant(deployment, request);
          const { items, next } = await listRewards(readModel.pool, tenantId, query, pageOf(query));
          const rewards = items.map(({ recordedAt, reward, open }) => {
            const { schemaVersion: _s, tenantId: _t, ...shown } = reward;
            return { ...shown, open, recordedAt };
          });
          const body = { rewards, nextCursor: nextCursor(next), asOf: asOf(readModel) };
          return { status: 200, body };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/issuances',
      methods: {
        GET: async (request) => {
          const query = readQuery(request.search, issuanceParameters);
          const tenantId = await existingTenant(deployment, request);
          const { items, next } = await listIssuances(
            readModel.pool,
            tenantId,
            query,
            pageOf(query),
          );
          const issuances = items.map(
            ({ schemaVersion: _s, type: _y, tenantId: _t, ...issuance }) => issuance,
          );
          const body = { issuances, nextCursor: nextCursor(next), asOf: asOf(readModel) };
          return { status: 200, body };
        },
      },
    },
  ];
}

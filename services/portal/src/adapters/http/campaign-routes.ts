import type { Deployment } from '../../commands/deployment.ts';
import { chooseDefaultCampaign, putCampaign } from '../../commands/put-campaign.ts';
import { createCampaignReader, readDefaultCampaignBody } from './bodies.ts';
import { identifierPattern } from './fields.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, type Route, tenantIdOf } from './route.ts';

export function campaignRoutes(deployment: Deployment): Route[] {
  const readCampaignBody = createCampaignReader(deployment.environment);
  return [
    {
      path: '/api/tenants/:tenantId/campaigns/:campaignId',
      methods: {
        PUT: async (request) => {
          const draft = readCampaignBody(await request.json());
          const tenantId = tenantIdOf(request);
          const campaignId = newCampaignId(request.param('campaignId'));
          const result = await putCampaign(deployment, tenantId, campaignId, draft);
          if (result.outcome === 'no-tenant') throw noSuchTenant();
          if (result.outcome === 'back-dated') throw backDated(result.now);
          const { revision, effectiveFrom } = result.revision;
          return { status: 200, body: { campaignId, revision, effectiveFrom } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/default-campaign',
      methods: {
        PUT: async (request) => {
          const { campaignId } = readDefaultCampaignBody(await request.json());
          const tenantId = tenantIdOf(request);
          const result = await chooseDefaultCampaign(deployment, tenantId, campaignId);
          if (result.outcome === 'no-tenant') throw noSuchTenant();
          if (result.outcome === 'no-campaign') throw noSuchCampaign();
          return { status: 200, body: { defaultCampaignId: result.tenant.defaultCampaignId } };
        },
      },
    },
  ];
}

export function noSuchCampaign(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no campaign with this id.' });
}

function newCampaignId(text: string): string {
  if (identifierPattern.test(text)) return text;
  const detail =
    'The campaignId in the path must be 1 to 64 letters, digits, ".", "_" or "-", the first a letter or digit.';
  throw new Refusal('VALIDATION_ERROR', { detail });
}

function backDated(now: string): Refusal {
  const detail =
    `must not be earlier than the service's clock, which was at ${now}: ` +
    'what happened before is decided already. Leave it out to mean now';
  const violation = { pointer: '/effectiveFrom', code: 'OUT_OF_RANGE', detail } as const;
  return new Refusal('VALIDATION_ERROR', { errors: [violation] });
}

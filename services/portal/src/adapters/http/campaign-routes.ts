import type { Violation } from '@tributary/contracts/violation';
import type { Deployment } from '../../commands/deployment.ts';
import {
  describeCampaigns,
  describeRevision,
  describeRevisions,
} from '../../commands/describe-campaign.ts';
import { findBackDated } from '../../commands/draft-next-revision.ts';
import { putCampaign } from '../../commands/put-campaign.ts';
import { chooseDefaultCampaign } from '../../commands/tenant-settings.ts';
import { warningsOfCampaign } from '../../domain/campaign-warnings.ts';
import { describeCampaign } from '../../domain/describe-campaign.ts';
import { warningsOfStart } from '../../domain/start-warnings.ts';
import { readDefaultCampaignBody } from './bodies.ts';
import { createCampaignJudge, createCampaignReader } from './campaign-body.ts';
import { identifierPattern } from './fields.ts';
import { idText, readQuery } from './query.ts';
import { Refusal } from './refusal.ts';
import { isStoredTenant } from './existing-tenant.ts';
import { type AdminRequest, noSuchTenant, type Route, tenantIdOf } from './route.ts';

export function campaignRoutes(deployment: Deployment): Route[] {
  const judgeCampaign = createCampaignJudge(deployment.environment);
  const readCampaignBody = createCampaignReader(deployment.environment);
  return [
    {
      // Nothing is stored. Of no tenant, since the same file may go to several; or of a place, to
      // say whether its start would be refused there.
      path: '/api/campaign-check',
      methods: {
        POST: async (request) => {
          const { tenantId, campaignId } = readQuery(request.search, checkParameters);
          const judgement = judgeCampaign(await request.json());
          const isNowhere = tenantId !== undefined && !(await isStoredTenant(deployment, tenantId));
          const nowhere = isNowhere ? [noTenantOfThisId] : [];
          if (!('value' in judgement)) {
            const mistakes = [...nowhere, ...judgement.violations];
            return { status: 200, body: { valid: false, mistakes } };
          }
          const draft = judgement.value;
          const isPlaced = tenantId !== undefined && campaignId !== undefined;
          const place = isPlaced ? { tenantId, campaignId } : undefined;
          const refusedAt = await findBackDated(deployment, draft, place);
          const mistakes = [...nowhere];
          if (refusedAt !== undefined) {
            mistakes.push(isPlaced ? backDated(refusedAt) : backDatedUnlessStored(refusedAt));
          }
          if (mistakes.length > 0) return { status: 200, body: { valid: false, mistakes } };
          const warnings = warningsOfCampaign(draft);
          const explanation = describeCampaign(draft);
          return { status: 200, body: { valid: true, mistakes, warnings, explanation } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/campaigns',
      methods: {
        GET: async (request) => {
          const body = await describeCampaigns(deployment, tenantIdOf(request));
          if (body === undefined) throw noSuchTenant();
          return { status: 200, body };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/campaigns/:campaignId',
      methods: {
        GET: async (request) => {
          const place = [tenantIdOf(request), campaignIdOf(request)] as const;
          const body = await describeRevisions(deployment, ...place);
          if (body === undefined) throw noSuchCampaign();
          return { status: 200, body };
        },
        PUT: async (request) => {
          const draft = readCampaignBody(await request.json());
          const tenantId = tenantIdOf(request);
          const campaignId = newCampaignId(request.param('campaignId'));
          const result = await putCampaign(deployment, tenantId, campaignId, draft);
          if (result.outcome === 'no-tenant') throw noSuchTenant();
          if (result.outcome === 'back-dated') {
            throw new Refusal('VALIDATION_ERROR', { errors: [backDated(result.now)] });
          }
          const { revision, effectiveFrom } = result.revision;
          const { takenOverBy } = result;
          const warnings = [
            ...warningsOfStart(result.revision, takenOverBy),
            ...warningsOfCampaign(draft),
          ];
          return { status: 200, body: { campaignId, revision, effectiveFrom, warnings } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/campaigns/:campaignId/revisions/:revision',
      methods: {
        GET: async (request) => {
          const place = [tenantIdOf(request), campaignIdOf(request)] as const;
          const body = await describeRevision(deployment, ...place, revisionOf(request));
          if (body === undefined) throw noSuchRevision();
          return { status: 200, body };
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

function noSuchRevision(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'There is no such revision of this campaign.' });
}

/** What breaks the form of an id cannot exist. */
function campaignIdOf(request: AdminRequest): string {
  const campaignId = request.param('campaignId');
  if (!identifierPattern.test(campaignId)) throw noSuchCampaign();
  return campaignId;
}

function revisionOf(request: AdminRequest): number {
  const text = request.param('revision');
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw noSuchRevision();
  return Number(text);
}

function newCampaignId(text: string): string {
  if (identifierPattern.test(text)) return text;
  const detail =
    'The campaignId in the path must be 1 to 64 letters, digits, ".", "_" or "-", the first a letter or digit.';
  throw new Refusal('VALIDATION_ERROR', { detail });
}

/** A put there is a 404; of a check it is one mistake among others. */
const noTenantOfThisId: Violation = {
  pointer: '/tenantId',
  code: 'INVALID_ENUM',
  detail: 'there is no tenant with this id',
};

function backDated(now: string): Violation {
  const detail =
    `must not be earlier than the service's clock, which was at ${now}: ` +
    'what happened before is decided already. Leave it out to mean now, or preview and commit it by a replay';
  return { pointer: '/effectiveFrom', code: 'OUT_OF_RANGE', detail };
}

function backDatedUnlessStored(now: string): Violation {
  const { detail, ...violation } = backDated(now);
  const unless =
    'It is taken only where the campaign is stored exactly so already: name tenant and campaign to have that looked up';
  return { ...violation, detail: `${detail}. ${unless}` };
}

const checkParameters = { tenantId: idText(), campaignId: idText() };

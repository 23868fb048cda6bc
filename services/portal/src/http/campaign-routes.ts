import { campaignRoutes as declared } from '@tributary/contracts/admin/campaigns';
import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import { identifierPattern } from '@tributary/contracts/admin/text-fields';
import type { Violation } from '@tributary/contracts/violation';
import { may } from '../accounts/domain/caller.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import {
  describeCampaigns,
  describeRevision,
  describeRevisions,
} from '../catalog/commands/describe-campaign.ts';
import { findBackDated } from '../catalog/commands/draft-next-revision.ts';
import { putCampaign } from '../catalog/commands/put-campaign.ts';
import { chooseDefaultCampaign } from '../catalog/commands/tenant-settings.ts';
import { warningsOfCampaign } from '../catalog/domain/campaign-warnings.ts';
import { describeCampaign } from '../catalog/domain/describe-campaign.ts';
import { warningsOfStart } from '../catalog/domain/start-warnings.ts';
import {
  campaignRefinement,
  createCampaignValidator,
  toCampaignDraft,
} from './campaign-refinement.ts';
import { isStoredTenant } from './existing-tenant.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute, serveUnvalidated, tenantIdOf } from './route.ts';

export function campaignRoutes(deployment: Deployment): ServedRoute[] {
  return [
    serve(declared.listCampaigns)(async (asked) => {
      const body = await describeCampaigns(deployment, tenantIdOf(asked));
      if (body === undefined) throw noSuchTenant();
      return { status: 200, body };
    }),
    serve(declared.showCampaign)(async (asked) => {
      const place = [tenantIdOf(asked), campaignIdOf(asked)] as const;
      const body = await describeRevisions(deployment, ...place);
      if (body === undefined) throw noSuchCampaign();
      return { status: 200, body };
    }),
    serve(declared.putCampaign, { refine: campaignRefinement(deployment.environment) })(
      async (asked) => {
        const draft = toCampaignDraft(asked.body);
        const tenantId = tenantIdOf(asked);
        const campaignId = newCampaignId(asked.params.campaignId);
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
    ),
    serve(declared.showRevision)(async (asked) => {
      const place = [tenantIdOf(asked), campaignIdOf(asked)] as const;
      const body = await describeRevision(deployment, ...place, revisionOf(asked.params.revision));
      if (body === undefined) throw noSuchRevision();
      return { status: 200, body };
    }),
    serve(tenantRoutes.setDefaultCampaign)(async (asked) => {
      const { campaignId } = asked.body;
      const result = await chooseDefaultCampaign(deployment, tenantIdOf(asked), campaignId);
      if (result.outcome === 'no-tenant') throw noSuchTenant();
      if (result.outcome === 'no-campaign') throw noSuchCampaign();
      return { status: 200, body: { defaultCampaignId: result.tenant.defaultCampaignId } };
    }),
  ];
}

/** Nothing is stored, and every mistake is an answer: also one that would be refused elsewhere. */
export function campaignCheckRoutes(deployment: Deployment): ServedRoute[] {
  const validateCampaign = createCampaignValidator(deployment.environment);
  return [
    serveUnvalidated(declared.checkCampaign)(async ({ query, json, caller }) => {
      const { tenantId, campaignId } = query;
      const validation = validateCampaign(json);
      const isTheirs =
        tenantId === undefined ||
        (may(caller, declared.checkCampaign.right, tenantId) &&
          (await isStoredTenant(deployment, tenantId)));
      const nowhere = isTheirs ? [] : [noTenantOfThisId];
      if (!('value' in validation)) {
        const mistakes = [...nowhere, ...validation.violations];
        return { status: 200, body: { valid: false, mistakes } };
      }
      const draft = validation.value;
      const isPlaced = isTheirs && tenantId !== undefined && campaignId !== undefined;
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
    }),
  ];
}

export function noSuchCampaign(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no campaign with this id.' });
}

function noSuchRevision(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'There is no such revision of this campaign.' });
}

/** What breaks the form of an id cannot exist. */
function campaignIdOf({ params: { campaignId } }: { params: { campaignId: string } }): string {
  if (!identifierPattern.test(campaignId)) throw noSuchCampaign();
  return campaignId;
}

function revisionOf(text: string): number {
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

import type { BodyOf } from '@tributary/contracts/admin/admin-route';
import type { replayRoutes } from '@tributary/contracts/admin/replays';
import type { Violation } from '@tributary/contracts/violation';
import type { Environment } from '../catalog/domain/addresses.ts';
import type { CampaignDraft } from '../catalog/domain/campaign-draft.ts';
import { refusalOf } from './body.ts';
import { createCampaignValidator } from './campaign-refinement.ts';

type PreviewBody = BodyOf<(typeof replayRoutes)['startPreview']>;

export type PreviewRequest =
  | { kind: 'preview'; tenantId: string; campaignId: string | undefined; draft: CampaignDraft }
  | { kind: 'fold'; tenantId: string | undefined; foldVersion: number }
  | { kind: 'state'; tenantId: string | undefined; until: string };

/**
 * A campaign whose effect is to be seen, validated as one that is put; a version of the fold whose
 * effect is; or a moment whose state is.
 *
 * @throws {Refusal} VALIDATION_ERROR
 */
export function createPreviewReader(
  environment: Environment,
): (body: PreviewBody, now: string) => PreviewRequest {
  const validateCampaign = createCampaignValidator(environment);

  function draftOf({ campaign, effectiveFrom }: PreviewBody): CampaignDraft {
    const isNamed = effectiveFrom !== undefined;
    const validation = validateCampaign(isNamed ? { ...campaign, effectiveFrom } : campaign);
    if ('value' in validation) return validation.value;
    const placed = validation.violations.map((violation): Violation => {
      const own = isNamed && violation.pointer === '/effectiveFrom';
      return own ? violation : { ...violation, pointer: `/campaign${violation.pointer}` };
    });
    throw refusalOf(placed);
  }

  return (body, now) => {
    const { tenantId, campaignId, until, foldVersion } = body;
    if (foldVersion !== undefined) return { kind: 'fold', tenantId, foldVersion };
    if (until === undefined) {
      // Both are there, or the body was refused.
      return { kind: 'preview', tenantId: tenantId ?? '', campaignId, draft: draftOf(body) };
    }
    if (until > now) throw refusalOf([aheadOf(now)]);
    return { kind: 'state', tenantId, until };
  };
}

function aheadOf(now: string): Violation {
  const detail = `must not be later than the service's clock, which is at ${now}`;
  return { pointer: '/until', code: 'OUT_OF_RANGE', detail };
}

import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import type { Violation } from '../violation.ts';
import { type Refinement, refined } from './body-validator.ts';
import { instant } from './instant.ts';
import { by } from './operator-note.ts';
import { foldVersion } from './replay-fields.ts';
import { identifier } from './text-fields.ts';

const members = closedObject({
  tenantId: Type.Optional(identifier()),
  campaignId: Type.Optional(identifier()),
  /** As it is put; the portal validates it as one that is. */
  campaign: Type.Optional(Type.Object({}, { additionalProperties: true })),
  /** In place of the campaign's own. */
  effectiveFrom: Type.Optional(instant('as-written')),
  until: Type.Optional(instant()),
  /** In place of a campaign: by which rules history is folded. */
  foldVersion,
  by,
});

const refine: Refinement<typeof members> = (wellShaped, misshapen) => {
  const { tenantId, campaignId, campaign, effectiveFrom, until } = wellShaped;
  const given = (others: Record<string, unknown>) =>
    Object.keys(others).filter((name) => others[name] !== undefined);
  if (wellShaped.foldVersion !== undefined || misshapen.has('/foldVersion')) {
    return given({ campaignId, campaign, effectiveFrom, until }).map((name) =>
      superfluous(
        name,
        'does not go with foldVersion, which folds all that there is by the rules of a version',
      ),
    );
  }
  if (until !== undefined || misshapen.has('/until')) {
    return given({ campaignId, campaign, effectiveFrom }).map((name) =>
      superfluous(name, 'does not go with until, which shows what was, by the campaigns of then'),
    );
  }
  return [
    ...(tenantId === undefined ? [required('/tenantId', 'is missing')] : []),
    ...(campaign === undefined ? [required('/campaign', nothingToPreview)] : []),
  ];
};

/**
 * A campaign whose effect is to be seen, a version of the fold whose effect is, or a moment whose
 * state is.
 */
export const PreviewBody = refined(members, refine);

const nothingToPreview =
  'is missing: a campaign to preview, foldVersion for newer rules, or until for the state of then';

function required(pointer: string, detail: string): Violation {
  return { pointer, code: 'REQUIRED', detail };
}

function superfluous(name: string, detail: string): Violation {
  return { pointer: `/${name}`, code: 'UNKNOWN_FIELD', detail };
}

import { type Static, Type } from '@sinclair/typebox';
import { maxViolations, type Violation } from '@tributary/contracts/violation';
import type { Environment } from '../../domain/addresses.ts';
import type { CampaignDraft } from '../../domain/campaign-draft.ts';
import { createBodyReader, refusalOf } from './body.ts';
import { createCampaignJudge } from './campaign-body.ts';
import { anyText, identifier, printableText } from './fields.ts';
import { instant, judgeInstant, toUtc } from './instant.ts';

/** Request bodies about replays. All closed, as everywhere in the admin API. */
const closed = { additionalProperties: false };
const by = Type.Optional(printableText(255));

/** Who asks, when that is not said. */
export const somebody = 'operator';

/** For requests that need nothing but who asks. */
export const readAskerBody = createBodyReader(Type.Object({ by }, closed));

export const readCommitBody = createBodyReader(
  Type.Object({ by, note: Type.Optional(anyText(1_000)) }, closed),
);

const foldVersion = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }));

/** By which rules a new generation folds; left out: the newest. */
export const readRebuildBody = createBodyReader(Type.Object({ foldVersion, by }, closed));

const generationNumber = Type.Integer({ minimum: 1, maximum: 1_000_000 });

/** The one kind of job that is asked for by its name; the others have paths of their own. */
export const readVerifyBody = createBodyReader(
  Type.Object(
    {
      kind: Type.Literal('verify'),
      params: Type.Optional(
        Type.Object(
          {
            tenantId: Type.Optional(identifier()),
            userId: Type.Optional(anyText(255)),
            generation: Type.Optional(generationNumber),
          },
          closed,
        ),
      ),
      by,
    },
    closed,
  ),
  ({ params }) =>
    params?.userId !== undefined && params.tenantId === undefined
      ? [required('/params/tenantId', 'is missing: two tenants may use the same userId')]
      : [],
);

const PreviewBody = Type.Object(
  {
    tenantId: Type.Optional(identifier()),
    campaignId: Type.Optional(identifier()),
    campaign: Type.Optional(Type.Object({}, { additionalProperties: true })),
    /** In place of the campaign's own. */
    effectiveFrom: Type.Optional(instant()),
    until: Type.Optional(instant()),
    /** In place of a campaign: by which rules history is folded. */
    foldVersion,
    by,
  },
  closed,
);

export type PreviewWish =
  | {
      wish: 'preview';
      tenantId: string;
      campaignId: string | undefined;
      draft: CampaignDraft;
      by: string | undefined;
    }
  | {
      wish: 'fold';
      tenantId: string | undefined;
      foldVersion: number;
      by: string | undefined;
    }
  | { wish: 'state'; tenantId: string | undefined; until: string; by: string | undefined };

/**
 * A campaign whose effect is to be seen, judged as one that is put; a version of the fold whose
 * effect is; or a moment whose state is.
 *
 * @throws {Refusal} VALIDATION_ERROR
 */
export function createPreviewReader(
  environment: Environment,
): (body: unknown, now: string) => PreviewWish {
  const readShape = createBodyReader(PreviewBody, judgePreview);
  const judgeCampaign = createCampaignJudge(environment);

  function draftOf({ campaign, effectiveFrom }: Static<typeof PreviewBody>): CampaignDraft {
    const isNamed = effectiveFrom !== undefined;
    const judgement = judgeCampaign(isNamed ? { ...campaign, effectiveFrom } : campaign);
    if ('value' in judgement) return judgement.value;
    const placed = judgement.violations.map((violation): Violation => {
      const own = isNamed && violation.pointer === '/effectiveFrom';
      return own ? violation : { ...violation, pointer: `/campaign${violation.pointer}` };
    });
    throw refusalOf(placed);
  }

  return (json, now) => {
    const body = readShape(json);
    const { tenantId, campaignId, until, foldVersion } = body;
    if (foldVersion !== undefined) return { wish: 'fold', tenantId, foldVersion, by: body.by };
    if (until === undefined) {
      // Both are there, or the body was refused.
      return {
        wish: 'preview',
        tenantId: tenantId ?? '',
        campaignId,
        draft: draftOf(body),
        by: body.by,
      };
    }
    const time = toUtc(until);
    if (time > now) throw refusalOf([aheadOf(now)]);
    return { wish: 'state', tenantId, until: time, by: body.by };
  };
}

function judgePreview(
  sound: Partial<Static<typeof PreviewBody>>,
  misshapen: ReadonlySet<string>,
): Violation[] {
  const { tenantId, campaignId, campaign, effectiveFrom, until, foldVersion } = sound;
  const times = (['effectiveFrom', 'until'] as const).flatMap((name) => {
    const text = sound[name];
    return text === undefined ? [] : judgeInstant(text, `/${name}`);
  });
  if (foldVersion !== undefined || misshapen.has('/foldVersion')) {
    const others = Object.entries({ campaignId, campaign, effectiveFrom, until });
    const superfluous = others.filter(([, value]) => value !== undefined);
    return [...times, ...superfluous.map(([name]) => notWithFoldVersion(`/${name}`))];
  }
  if (until !== undefined || misshapen.has('/until')) {
    const others = Object.entries({ campaignId, campaign, effectiveFrom });
    const superfluous = others.filter(([, value]) => value !== undefined);
    return [...times, ...superfluous.map(([name]) => notWithUntil(`/${name}`))];
  }
  return [
    ...times,
    ...(tenantId === undefined ? [required('/tenantId', 'is missing')] : []),
    ...(campaign === undefined ? [required('/campaign', nothingToPreview)] : []),
  ].slice(0, maxViolations);
}

const nothingToPreview =
  'is missing: a campaign to preview, foldVersion for newer rules, or until for the state of then';

function required(pointer: string, detail: string): Violation {
  return { pointer, code: 'REQUIRED', detail };
}

function notWithUntil(pointer: string): Violation {
  const detail = 'does not go with until, which shows what was, by the campaigns of then';
  return { pointer, code: 'UNKNOWN_FIELD', detail };
}

function notWithFoldVersion(pointer: string): Violation {
  const detail =
    'does not go with foldVersion, which folds all that there is by the rules of a version';
  return { pointer, code: 'UNKNOWN_FIELD', detail };
}

function aheadOf(now: string): Violation {
  const detail = `must not lie ahead of the service's clock, which is at ${now}`;
  return { pointer: '/until', code: 'OUT_OF_RANGE', detail };
}

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import { uuidForm } from '@tributary/http/internal-bodies';
import type { InternalReply, InternalRoute } from '@tributary/http/internal-router';
import type { ActionResult, ActOnRewards, NotNow, Said } from './act-on-rewards.ts';

/**
 * What the portal asks for an operator (see act-on-rewards.ts):
 *
 *   POST /internal/tenants/:tenantId/rewards/:rewardId/release   { by, note? }
 *   POST /internal/tenants/:tenantId/rewards/:rewardId/withhold  { by, note? }
 *   POST /internal/tenants/:tenantId/rewards/release             { by, note?, filter }
 *
 * The portal judges the bodies for whoever wrote them; here only their shape counts.
 */
export function actionRoutes(actOnRewards: ActOnRewards): InternalRoute[] {
  return [
    oneRoute('release', 'released', actOnRewards),
    oneRoute('withhold', 'withheld', actOnRewards),
    {
      method: 'POST',
      path: '/tenants/:tenantId/rewards/release',
      async answer(request) {
        const tenantId = request.param('tenantId');
        const body = read(bulkBody, request.json);
        if (!body || !isId(tenantId)) return notUnderstood;
        const { state: _, ...filter } = body.filter;
        const said = { by: body.by, ...(body.note !== undefined && { note: body.note }) };
        const result = await actOnRewards.releaseReviewed({ tenantId, ...filter }, said);
        if (result.outcome === 'not-now') return notNow(result);
        return { status: 200, body: { released: result.count, more: result.more } };
      },
    },
  ];
}

function oneRoute(verb: string, word: Said['word'], actOnRewards: ActOnRewards): InternalRoute {
  return {
    method: 'POST',
    path: `/tenants/:tenantId/rewards/:rewardId/${verb}`,
    async answer(request) {
      const tenantId = request.param('tenantId');
      const rewardId = request.param('rewardId').toLowerCase();
      const body = read(oneBody, request.json);
      if (!body) return notUnderstood;
      if (!isId(tenantId) || !uuidForm.test(rewardId)) return noSuchReward;
      return reply(await actOnRewards.one(tenantId, rewardId, { word, ...body }));
    },
  };
}

function reply(result: ActionResult | NotNow): InternalReply {
  switch (result.outcome) {
    case 'said':
      return { status: 200, body: described(result.fact) };
    case 'unknown':
      return noSuchReward;
    case 'conflict':
      return { problem: 'CONFLICT', detail: result.detail };
    case 'not-now':
      return notNow(result);
    default:
      return result satisfies never;
  }
}

/** The same for every repeat: what was said first, not what came of it. */
function described({ rewardId, recipientId, campaignId, type, by, note, at }: RewardActionRecord) {
  return { rewardId, action: type, recipientId, campaignId, by, ...(note && { note }), at };
}

function notNow({ detail }: NotNow): InternalReply {
  return { problem: 'SERVICE_UNAVAILABLE', detail };
}

const noSuchReward: InternalReply = {
  problem: 'NOT_FOUND',
  detail: 'This tenant has no reward with this id.',
};
const notUnderstood: InternalReply = { problem: 'VALIDATION_ERROR' };

/** Postgres holds no NUL in text. */
function isId(text: string): boolean {
  return /^[^\0]{1,255}$/u.test(text);
}

const closed = { additionalProperties: false };
/** The contract counts characters, a schema UTF-16 units: two at most for each character. */
const text = (maxCharacters: number) =>
  Type.String({ minLength: 1, maxLength: 2 * maxCharacters, pattern: '^[^\\u0000]*$' });

const oneBody = TypeCompiler.Compile(
  Type.Object({ by: text(255), note: Type.Optional(text(1_000)) }, closed),
);

const bulkBody = TypeCompiler.Compile(
  Type.Object(
    {
      by: text(255),
      note: Type.Optional(text(1_000)),
      filter: Type.Object(
        {
          /** The only one there is to release in bulk; said so that nobody is surprised. */
          state: Type.Literal('review'),
          campaignId: Type.Optional(text(255)),
          recipientId: Type.Optional(text(255)),
          ruleId: Type.Optional(text(255)),
          /** Rewards of events received before this, UTC with milliseconds. */
          before: Type.Optional(
            Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
          ),
        },
        closed,
      ),
    },
    closed,
  ),
);

function read<S extends TSchema>(
  checker: { Check(value: unknown): value is Static<S>; Schema(): S },
  json: unknown,
): Static<S> | undefined {
  return checker.Check(json) ? json : undefined;
}

import { Type } from '@sinclair/typebox';
import type { InternalClient } from '@tributary/http/internal-client';
import { createBodyReader } from './body.ts';
import { anyText, identifier, printableText } from './fields.ts';
import { instant, judgeInstant, toUtc } from './instant.ts';
import { answerOf } from './internal-answer.ts';
import { type Handler, type Route, tenantIdOf } from './route.ts';

/**
 * An operator's word on rewards: release what waits for a hold or a review, withhold what must not
 * be issued. rewards has the last word on each; here the body is judged for whoever wrote it.
 */
export function rewardActionRoutes(rewards: InternalClient): Route[] {
  const one =
    (verb: 'release' | 'withhold'): Handler =>
    async (request) => {
      const body = readActionBody(await request.json());
      const path = ['tenants', tenantIdOf(request), 'rewards', request.param('rewardId'), verb];
      return answerOf(await rewards.post(path, body, request));
    };

  return [
    { path: '/api/tenants/:tenantId/rewards/:rewardId/release', methods: { POST: one('release') } },
    {
      path: '/api/tenants/:tenantId/rewards/:rewardId/withhold',
      methods: { POST: one('withhold') },
    },
    {
      path: '/api/tenants/:tenantId/rewards/release',
      methods: {
        POST: async (request) => {
          const { filter, ...said } = readBulkReleaseBody(await request.json());
          const { before, ...rest } = filter;
          const bound = before === undefined ? {} : { before: toUtc(before) };
          const path = ['tenants', tenantIdOf(request), 'rewards', 'release'];
          const asked = { ...said, filter: { ...rest, ...bound } };
          return answerOf(await rewards.post(path, asked, request));
        },
      },
    },
  ];
}

const closed = { additionalProperties: false };
const said = { by: printableText(255), note: Type.Optional(anyText(1_000)) };

/** Who says something, and what they want to be remembered of it. */
export const readActionBody = createBodyReader(Type.Object(said, closed));

/** Bulk takes what is in review and nothing else: a hold is the campaign's own word. */
const Filter = Type.Object(
  {
    state: Type.Literal('review'),
    campaignId: Type.Optional(identifier()),
    recipientId: Type.Optional(anyText(255)),
    ruleId: Type.Optional(identifier()),
    /** Only events received before this. */
    before: Type.Optional(instant()),
  },
  closed,
);

export const readBulkReleaseBody = createBodyReader(
  Type.Object({ ...said, filter: Filter }, closed),
  ({ filter }) =>
    filter?.before === undefined ? [] : judgeInstant(filter.before, '/filter/before'),
);

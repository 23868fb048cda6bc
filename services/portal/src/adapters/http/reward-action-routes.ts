import { Type } from '@sinclair/typebox';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import type { Violation } from '@tributary/contracts/violation';
import type { InternalAnswer, InternalClient } from '@tributary/http/internal-client';
import { createBodyReader } from './body.ts';
import { anyText, identifier, printableText } from './fields.ts';
import { Refusal } from './refusal.ts';
import { type Answer, type Handler, type Route, tenantIdOf } from './route.ts';

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

/** @throws {Refusal} with the words of the service that was asked. */
function answerOf(answer: InternalAnswer): Answer {
  switch (answer.outcome) {
    case 'answered':
      return { status: answer.status, body: answer.body };
    case 'refused': {
      const { code, detail, errors } = answer.problem;
      throw new Refusal(code, { detail, ...(errors && { errors }) });
    }
    case 'unavailable':
      throw new Refusal('SERVICE_UNAVAILABLE', { detail: answer.detail });
    default:
      return answer satisfies never;
  }
}

const closed = { additionalProperties: false };
const said = { by: printableText(255), note: Type.Optional(anyText(1_000)) };

export const readActionBody = createBodyReader(Type.Object(said, closed));

/** Bulk takes what is in review and nothing else: a hold is the campaign's own word. */
const Filter = Type.Object(
  {
    state: Type.Literal('review'),
    campaignId: Type.Optional(identifier()),
    recipientId: Type.Optional(anyText(255)),
    ruleId: Type.Optional(identifier()),
    /** Of events received before this. */
    before: Type.Optional(Type.String({ expected: 'an RFC 3339 date-time with an offset' })),
  },
  closed,
);

export const readBulkReleaseBody = createBodyReader(
  Type.Object({ ...said, filter: Filter }, closed),
  ({ filter }) => (filter?.before === undefined ? [] : judgeBefore(filter.before)),
);

function judgeBefore(text: string): Violation[] {
  const pointer = '/filter/before';
  const epochMs = parseTimestamp(text)?.epochMs;
  if (epochMs === undefined) {
    const detail = 'must be an RFC 3339 date-time with an offset, such as 2026-03-01T12:00:00Z';
    return [{ pointer, code: 'INVALID_FORMAT', detail }];
  }
  if (epochMs >= firstInstantMs && epochMs <= lastInstantMs) return [];
  return [{ pointer, code: 'OUT_OF_RANGE', detail: 'must lie in the years 0 to 9999, in UTC' }];
}

const firstInstantMs = Date.parse('0000-01-01T00:00:00.000Z');
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Rounded up: whatever was received before the instant is before this millisecond too. */
function toUtc(text: string): string {
  const epochMs = Math.ceil(parseTimestamp(text)?.epochMs ?? NaN);
  return new Date(Math.min(epochMs, lastInstantMs)).toISOString();
}

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { adminRoute } from './admin-route.ts';
import { asOf, decimal, named, nullable, oneOfTexts, text, utc } from './answer-fields.ts';
import { cursorOf } from './cursor.ts';
import { limit } from './paging.ts';
import { idText } from './query-parameters.ts';
import { Decision } from './record-answers.ts';
import { ShownReward } from './reward-answers.ts';

/** `recordedAt`: when the log got it, from when on it was known. The first version comes first. */
function versionsOf<N extends string, S extends TSchema>(name: N, record: S) {
  const version = { version: Type.Integer({ minimum: 1 }), recordedAt: utc, [name]: record };
  return Type.Object({
    versions: Type.Array(
      Type.Object(
        version as { version: typeof version.version; recordedAt: typeof utc } & Record<N, S>,
      ),
    ),
    asOf,
  });
}

/** Double entry: what one account gets, another one gives. */
const PostingEntry = Type.Object({
  account: oneOfTexts('entitled', 'owed', 'issued'),
  campaignId: text,
  credits: decimal,
});

const posting = {
  postingId: text,
  /** When the log got what it follows from. */
  at: utc,
  kind: oneOfTexts('entitlement', 'issuance'),
  recipientId: text,
  rewardId: text,
  /** The event that the reward is for. */
  eventId: Type.Optional(text),
  /** The version of the reward that moved the credits. */
  rewardVersion: Type.Optional(Type.Integer({ minimum: 1 })),
  issuanceId: Type.Optional(text),
  /** Sum to zero. */
  entries: Type.Array(PostingEntry),
};
export const Posting = named('Posting', Type.Object(posting));
export type Posting = Static<typeof Posting>;

/** `owed` is what the recipient still has to get; below zero, what the recipient owes. */
const Accounts = named(
  'Accounts',
  Type.Object({ entitled: decimal, owed: decimal, issued: decimal }),
);
export type Accounts = Static<typeof Accounts>;

/** `2026-03`, in UTC. */
const month = Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' });

/** What was known before, and what moved credits. */
export const historyRoutes = {
  listDecisionVersions: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/events/{eventId}/versions',
    right: 'read',
    summary: 'Lists every decision on an event, oldest first.',
    query: {},
    answers: { 200: versionsOf('decision', Decision) },
  }),
  listRewardVersions: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/rewards/{rewardId}/versions',
    right: 'read',
    summary: 'Lists every version of a reward, oldest first.',
    query: {},
    answers: { 200: versionsOf('reward', ShownReward) },
  }),
  listPostings: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/postings',
    right: 'read',
    summary:
      'Lists the ledger postings of one event, reward or recipient (give one of the three), oldest first.',
    query: { event: idText(), reward: idText(), recipient: idText(), limit, cursor: cursorOf(2) },
    answers: {
      200: Type.Object({ postings: Type.Array(Posting), nextCursor: nullable(text), asOf }),
    },
  }),
  listStatements: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/recipients/{recipientId}/statements',
    right: 'read',
    summary:
      'Lists the months in which a recipient’s credits moved, with sums and closing balances.',
    query: {},
    answers: {
      200: Type.Object({
        recipientId: text,
        statements: Type.Array(
          Type.Object({
            month,
            postings: Type.Integer({ minimum: 1 }),
            /** What was promised and what was granted in the month. */
            promised: decimal,
            granted: decimal,
            closing: Accounts,
          }),
        ),
        asOf,
      }),
    },
  }),
  showStatement: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/recipients/{recipientId}/statements/{month}',
    right: 'read',
    summary:
      'Shows a recipient’s postings in a month (such as 2026-03, in UTC), each with the balance after it.',
    query: { limit, cursor: cursorOf(2) },
    answers: {
      200: Type.Object({
        recipientId: text,
        month,
        opening: Accounts,
        postings: Type.Array(Type.Object({ ...posting, balance: Accounts })),
        closing: Accounts,
        nextCursor: nullable(text),
        asOf,
      }),
    },
  }),
};

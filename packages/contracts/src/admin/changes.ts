import { type Static, Type } from '@sinclair/typebox';
import { adminRoute } from './admin-route.ts';
import { named, nullable, oneOfTexts, text } from './answer-fields.ts';

/**
 * `id` is the event's of `event` and `decision`, the reward's, the issuance's, the webhook event's
 * of `delivery`, the code's text, the user's of `person`, the job's; of `catalog` it says what was
 * set up: `tenant`, `access-key`, `campaign-revision` and so on. Null: more of the kind have
 * changed than are listed.
 */
export const Change = named(
  'Change',
  Type.Object({
    kind: oneOfTexts(
      ...(['event', 'decision', 'reward', 'issuance', 'delivery', 'code', 'person'] as const),
      ...(['catalog', 'request', 'job'] as const),
    ),
    id: nullable(text),
  }),
);
export type Change = Static<typeof Change>;
export type ChangeKind = Change['kind'];

/** `resync`: what was shown may have changed in any way, so it is to be asked for again. */
export const ChangeNotice = named(
  'Change notice',
  Type.Union([
    Type.Object({ type: Type.Literal('resync') }),
    Type.Object({ type: Type.Literal('changes'), changes: Type.Array(Change) }),
  ]),
);
export type ChangeNotice = Static<typeof ChangeNotice>;

export const changeRoutes = {
  followChanges: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/changes',
    right: 'read',
    summary: 'Streams what changes in a tenant as server-sent events; ids only.',
    query: {},
    answers: { 200: ChangeNotice },
    streams: true,
  }),
};

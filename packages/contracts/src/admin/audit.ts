import { Type } from '@sinclair/typebox';
import { adminRoute } from './admin-route.ts';
import { list, named, nullable, oneOfTexts, text, utc } from './answer-fields.ts';
import { cursorOf } from './cursor.ts';
import { format, limit } from './paging.ts';
import { idText, textLike, time } from './query-parameters.ts';
import { csvForm } from './csv-form.ts';

/**
 * `member`: somebody who has a role in the tenant; `former`: who has none any more. `operator`: of
 * the deployment, as is `deployment-token`. `configured-token`: the static one of its
 * configuration. `nobody`: nobody was signed in.
 */
export const actorKinds = [
  ...(['member', 'former', 'operator', 'token', 'deployment-token'] as const),
  ...(['configured-token', 'nobody'] as const),
] as const;
export type ActorKind = (typeof actorKinds)[number];

const actorMembers = {
  /** `account:…`, `token:…`, `operator` for the bootstrap token, or `nobody`. */
  actor: text,
  actorKind: oneOfTexts(...actorKinds),
  /** A person's or a token's, while it is known and where whoever asks may see it. */
  actorName: nullable(text),
  /** A person's. */
  actorEmail: nullable(text),
};

const AuditEntry = named(
  'Audit entry',
  Type.Object({
    entryId: text,
    at: utc,
    ...actorMembers,
    /** The name of the route, as in the OpenAPI document. */
    action: text,
    tenantId: nullable(text),
    /** Null: the process ended before it knew. */
    status: nullable(Type.Integer()),
    outcome: oneOfTexts('done', 'refused', 'failed', 'unknown'),
    /** Which one of many it was about. */
    target: Type.Record(Type.String(), Type.String()),
    /** What was asked for: secrets as "changed", personal data as "personal". */
    asked: Type.Unknown(),
    before: Type.Unknown(),
    after: Type.Unknown(),
    address: text,
    requestId: nullable(text),
  }),
);
export type AuditOutcome = 'done' | 'refused' | 'failed' | 'unknown';

const query = {
  since: time(),
  until: time(),
  actor: idText(),
  action: textLike(/^[a-zA-Z]{1,64}$/, 'the name of a route, such as releaseReward'),
  limit,
  cursor: cursorOf(2),
  format,
};
const csv = csvForm(
  'entries',
  `entryId at actor actorKind actorName actorEmail action tenantId status outcome target asked
        before after address requestId`,
  'status',
);
const Page = Type.Object({ ...list('entries', AuditEntry).properties, nextCursor: nullable(text) });

/** Who did what, when and from where. */
export const auditRoutes = {
  listTenantAudit: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/audit',
    right: 'administer',
    summary: 'Lists what was done in a tenant and which personal data was viewed, newest first.',
    query,
    csv,
    answers: { 200: Page },
  }),
  showActor: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/actors/{actor}',
    right: 'read',
    summary:
      'Shows who an id such as `account:…` or `token:…` stands for; the e-mail address only to administrators.',
    answers: { 200: named('Actor', Type.Object(actorMembers)) },
  }),
  listAudit: adminRoute({
    method: 'GET',
    path: '/api/audit',
    right: 'deployment',
    summary: 'Lists the same for the whole deployment, or for one tenant.',
    query: { ...query, tenant: idText() },
    csv,
    answers: { 200: Page },
  }),
};

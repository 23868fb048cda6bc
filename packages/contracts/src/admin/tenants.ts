import { Type } from '@sinclair/typebox';
import {
  AttributionMode,
  EventsPerSecond,
  LegacyRepeatHours,
  TenantStatus,
} from '../catalog-record.ts';
import { closedObject } from '../closed-object.ts';
import { adminRoute } from './admin-route.ts';
import { extended, list, nullable, oneOfTexts, text, utc } from './answer-fields.ts';
import { StoredRevision } from './campaign-answers.ts';
import { NoMembers } from './no-members.ts';
import { anyText, identifier, printableText } from './text-fields.ts';
import { instant } from './instant.ts';
import { by } from './operator-note.ts';
import { format } from './paging.ts';
import { oneOf } from './query-parameters.ts';
import { WebhookEndpoint } from './webhook-answers.ts';
import { csvForm } from './csv-form.ts';

export const TenantSummary = Type.Object({
  tenantId: text,
  name: text,
  status: TenantStatus,
  productId: text,
  defaultCampaignId: nullable(text),
  attributionMode: AttributionMode,
  legacyRepeatHours: LegacyRepeatHours,
  /** Null: as many as the deployment says. */
  eventsPerSecond: nullable(EventsPerSecond),
  /** Null: it is not removed. */
  removedAt: nullable(utc),
});

const ExistingTenant = Type.Object({ tenantId: text, name: text, productId: text });
const NewTenant = extended(ExistingTenant, { productSecret: text });

/** Tenants, their keys and settings. */
export const tenantRoutes = {
  createTenant: adminRoute({
    method: 'POST',
    path: '/api/tenants',
    right: 'deployment',
    confirmed: true,
    summary:
      'Creates a tenant. Its product secret is shown once; if it is lost, rotate it. With a tenantId, the request can be repeated safely.',
    body: closedObject({
      name: printableText(255),
      tenantId: Type.Optional(identifier()),
      attributionMode: Type.Optional(AttributionMode),
    }),
    publishes: true,
    answers: { 201: NewTenant, 200: ExistingTenant },
    when: { 200: 'when it exists, without its secret' },
    conflict: 'a tenant with this id exists with another name or attribution mode',
  }),
  listTenants: adminRoute({
    method: 'GET',
    path: '/api/tenants',
    right: 'read',
    summary: 'Lists all tenants; with removed=true, including those that were removed.',
    query: { removed: oneOf('true') },
    answers: { 200: list('tenants', TenantSummary) },
  }),
  showTenant: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}',
    right: 'read',
    summary:
      'Shows a tenant with its keys, the newest revisions of its campaigns and its webhook, without secrets.',
    answers: {
      200: extended(TenantSummary, {
        /** The deployment's: what is sent in a sandbox is no customer's. */
        environment: oneOfTexts('prod', 'sandbox'),
        accessKeys: Type.Array(
          Type.Object({ accessKeyId: text, status: oneOfTexts('active', 'revoked') }),
        ),
        campaigns: Type.Array(StoredRevision),
        webhook: nullable(WebhookEndpoint),
      }),
    },
  }),
  listAccessKeys: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/access-keys',
    right: 'read',
    summary: 'Lists key pairs without secrets, oldest first.',
    query: { format },
    csv: csvForm('accessKeys', 'accessKeyId name status createdAt createdBy lastUsedOn revokedAt'),
    answers: {
      200: list(
        'accessKeys',
        Type.Object({
          accessKeyId: text,
          /** Null: it was not given one. */
          name: nullable(text),
          status: oneOfTexts('active', 'revoked'),
          createdAt: utc,
          /** As in the audit list; null of a key from before that was kept. */
          createdBy: nullable(text),
          /** The last day, in UTC, on which an event was accepted with it; null: none is known. */
          lastUsedOn: nullable(text),
          revokedAt: nullable(utc),
        }),
      ),
    },
  }),
  issueAccessKey: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/access-keys',
    right: 'administer',
    confirmed: true,
    summary: 'Creates a key pair for `POST /token`. The secret is shown once.',
    body: closedObject({ name: Type.Optional(printableText(100)) }),
    bodyOptional: true,
    publishes: true,
    answers: { 201: Type.Object({ accessKeyId: text, secretAccessKey: text }) },
  }),
  revokeAccessKey: adminRoute({
    method: 'DELETE',
    path: '/api/tenants/{tenantId}/access-keys/{accessKeyId}',
    right: 'administer',
    summary: 'Revokes a key pair.',
    publishes: true,
    answers: { 200: Type.Object({ accessKeyId: text, status: Type.Literal('revoked') }) },
  }),
  rotateProductSecret: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/product-secret',
    right: 'administer',
    confirmed: true,
    summary: 'Creates a new product secret, which is shown once; the old one becomes invalid.',
    body: NoMembers,
    bodyOptional: true,
    publishes: true,
    answers: { 201: Type.Object({ productId: text, productSecret: text }) },
  }),
  setAttributionMode: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/attribution-mode',
    right: 'administer',
    summary:
      'Sets which code attributes an event: its own, or the first valid one of its user. Applies to what occurs from now on.',
    body: closedObject({ attributionMode: AttributionMode }),
    publishes: true,
    answers: { 200: Type.Object({ attributionMode: AttributionMode }) },
  }),
  setLegacyRepeatHours: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/legacy-repeat-hours',
    right: 'administer',
    summary:
      'Sets for how long an equal legacy payment counts as a repeat (1 to 8760 hours). Applies to what is received from now on.',
    body: closedObject({ legacyRepeatHours: LegacyRepeatHours }),
    publishes: true,
    answers: { 200: Type.Object({ legacyRepeatHours: LegacyRepeatHours }) },
  }),
  setEventsPerSecond: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/events-per-second',
    right: 'deployment',
    summary:
      'Sets how many events per second are accepted from the tenant; null: the deployment’s limit.',
    body: closedObject({ eventsPerSecond: nullable(EventsPerSecond) }),
    publishes: true,
    answers: { 200: Type.Object({ eventsPerSecond: nullable(EventsPerSecond) }) },
  }),
  suspendTenant: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/suspend',
    right: 'deployment',
    confirmed: true,
    summary: 'Suspends a tenant: nothing is accepted from it or sent to it until it is resumed.',
    body: NoMembers,
    bodyOptional: true,
    publishes: true,
    answers: { 200: Type.Object({ tenantId: text, status: TenantStatus }) },
  }),
  resumeTenant: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/resume',
    right: 'deployment',
    summary: 'Resumes a suspended tenant.',
    body: NoMembers,
    bodyOptional: true,
    publishes: true,
    answers: { 200: Type.Object({ tenantId: text, status: TenantStatus }) },
  }),
  removeTenant: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/remove',
    right: 'deployment',
    confirmed: true,
    secondPerson: true,
    summary:
      'Removes a suspended tenant permanently: removes its keys, people and connections, and erases its users’ personal data. Repeat the request to continue.',
    body: closedObject({
      by,
      exportedUntil: instant(),
      note: Type.Optional(anyText(1_000)),
    }),
    publishes: true,
    answers: {
      200: Type.Object({
        tenantId: text,
        status: TenantStatus,
        removedAt: utc,
        /** Users of whom an e-mail or a name is still in the read model. */
        peopleLeft: Type.Integer({ minimum: 0 }),
        /** Those that could not be disconnected at Stripe, and why. */
        connectionsLeft: Type.Array(Type.Object({ connectionId: text, detail: text })),
      }),
    },
    conflict: 'the tenant is not suspended, or the export lacks some of its events',
  }),
  setDefaultCampaign: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/default-campaign',
    right: 'develop',
    summary: 'Sets the campaign of codes that do not name one.',
    body: closedObject({ campaignId: identifier() }),
    publishes: true,
    answers: { 200: Type.Object({ defaultCampaignId: nullable(text) }) },
  }),
  erasePerson: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/people/erase',
    right: 'own',
    confirmed: true,
    summary: "Forgets a person's e-mail and name: see [Erasing a person](erasure.md).",
    // The id stands in the body: any text is one, and paths end up in access logs.
    body: closedObject({ userId: anyText(255) }),
    publishes: true,
    answers: { 200: Type.Object({ userId: text, erasedAt: utc, repeatAt: utc }) },
  }),
};

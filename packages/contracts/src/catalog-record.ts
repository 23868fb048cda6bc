import { type Static, Type } from '@sinclair/typebox';
import { CampaignRule } from './campaign-rule.ts';
import { ConnectionId, TaxPolicy } from './processor-record.ts';
import { createCodec } from './record.ts';
import { Id, Remark, TenantId, UtcTimestamp, Uuid } from './record-text.ts';
import { WidgetSettings } from './widget-settings.ts';

/**
 * 1 to 2: rules with conditions, limits, tiers and holds, settings of attribution, erasures. A
 * reader of version 1 stops at them instead of deciding without them. 2 to 3: an endpoint that is
 * paused, and credentials that are being exchanged. 3 to 4: the preview that a revision was
 * committed from. 4 to 5: connections to payment processors. 5 to 6: domains of public pages, and
 * how the widget looks. 6 to 7: for how long an equal legacy payment is a repeat. 7 to 8: how it
 * was shown that a domain is the tenant's, tenants that are suspended, and how many events each may
 * send; an older reader would take a domain for proved that is not.
 */
export const catalogSchemaVersion = 8 as const;

/**
 * What an operator has set up, on `referral.catalog`. Each entity carries its own `version`
 * (1, 2, …); readers ignore a version not above the one they have, so a stale record can never
 * revive a revoked key. A campaign revision is immutable: its version is always 1.
 */
const common = {
  schemaVersion: Type.Literal(catalogSchemaVersion),
  tenantId: TenantId,
  version: Type.Integer({ minimum: 1 }),
  publishedAt: Type.String(),
};

/** AES-256-GCM under the deployment key ring: `v1.<keyId>.<iv>.<tag>.<ciphertext>`, base64url. */
const Sealed = Type.String({ minLength: 1, pattern: '^[^\\u0000]*$' });

/** Goes to columns of Postgres, which hold no NUL. */
const NoNul = Type.String({ pattern: '^[^\\u0000]*$' });

export const AttributionMode = Type.Union([Type.Literal('event-code'), Type.Literal('first-code')]);
export type AttributionMode = Static<typeof AttributionMode>;

/** 1 hour to 365 days. */
export const LegacyRepeatHours = Type.Integer({ minimum: 1, maximum: 8_760 });
export const defaultRepeatHours = 24;

/** suspended: nothing is accepted of the tenant and nothing is sent to it; nothing is lost. */
export const TenantStatus = Type.Union([Type.Literal('active'), Type.Literal('suspended')]);
export type TenantStatus = Static<typeof TenantStatus>;

export const EventsPerSecond = Type.Integer({ minimum: 1, maximum: 1_000_000 });

export const TenantRecord = Type.Object({
  ...common,
  entity: Type.Literal('tenant'),
  name: Type.String(),
  status: TenantStatus,
  productId: Type.String(),
  defaultCampaignId: Type.Union([Type.String(), Type.Null()]),
  /**
   * Which code attributes an event: the one on it, or the user's first valid one (design 7). Holds
   * for events that occurred at or after `publishedAt`; the first record of a tenant from always.
   * Absent: `event-code`.
   */
  attributionMode: Type.Optional(AttributionMode),
  /**
   * For how many hours a legacy payment without invoice id and timestamp that equals an earlier one
   * is a repeat of it (decision 17). Holds for events received at or after `publishedAt`; the first
   * record of a tenant from always. Absent: 24.
   */
  legacyRepeatHours: Type.Optional(LegacyRepeatHours),
  /** As many events are accepted of the tenant. Absent: as many as the deployment says. */
  eventsPerSecond: Type.Optional(EventsPerSecond),
  /**
   * Since when it is suspended for ever. Only the portal needs it: for all others the status says
   * enough. Absent: it is not removed.
   */
  removedAt: Type.Optional(UtcTimestamp),
});
export type TenantRecord = Static<typeof TenantRecord>;

export const AccessKeyRecord = Type.Object({
  ...common,
  entity: Type.Literal('access-key'),
  accessKeyId: Type.String(),
  /** HMAC-SHA-256 of the secret access key under the deployment's digest key, base64url. */
  secretDigest: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('revoked')]),
  /** What people call it by, and who made it: for people only. */
  name: Type.Optional(NoNul),
  createdBy: Type.Optional(NoNul),
});
export type AccessKeyRecord = Static<typeof AccessKeyRecord>;

export const ProductSecretRecord = Type.Object({
  ...common,
  entity: Type.Literal('product-secret'),
  productId: Type.String(),
  sealedSecret: Sealed,
});
export type ProductSecretRecord = Static<typeof ProductSecretRecord>;

export const CampaignRevisionRecord = Type.Object({
  ...common,
  entity: Type.Literal('campaign-revision'),
  campaignId: Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]*$' }),
  /**
   * 1, 2, …. Of two revisions the one with the later `effectiveFrom` holds; of equal ones the
   * higher.
   */
  revision: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  status: Type.Union([Type.Literal('running'), Type.Literal('stopped')]),
  /** UTC with milliseconds; the revision decides facts that occurred at or after it. */
  effectiveFrom: Type.String(),
  landingUrl: Type.String(),
  /** Decimal places of credits in this campaign, 0 to 6. */
  creditScale: Type.Integer({ minimum: 0, maximum: 6 }),
  rules: Type.Array(CampaignRule),
  /**
   * A purchase is attributed until so many days (of 24 hours) after the user's first fact, in
   * canonical order. Absent: for ever.
   */
  attributionWindowDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500 })),
  /**
   * What becomes of a referral of A by B whose first fact is later than one of B by A. Absent:
   * reject.
   */
  referralLoops: Type.Optional(
    Type.Union([Type.Literal('reject'), Type.Literal('review'), Type.Literal('allow')]),
  ),
  /**
   * Whether users that were there before their referral or before the campaign count. Absent:
   * include.
   */
  existingUsers: Type.Optional(Type.Union([Type.Literal('include'), Type.Literal('exclude')])),
  /**
   * Whether all matching rules apply, or the first of the list for each recipient role. Absent:
   * all.
   */
  ruleMatching: Type.Optional(Type.Union([Type.Literal('all'), Type.Literal('first')])),
  /**
   * What a new user saves, for the widget and the customer's checkout; no credits. Absent: nothing.
   */
  newUserDiscountBasisPoints: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  /** For how many months (interface 2.13). */
  newUserDiscountMonth: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_200 })),
  /**
   * The preview that showed what the revision does, if `replay commit` published it. Apart from the
   * first revision, only such a one may have an `effectiveFrom` before its `publishedAt` (design
   * 7).
   */
  previewId: Type.Optional(Uuid),
});
export type CampaignRevisionRecord = Static<typeof CampaignRevisionRecord>;

export const WebhookEndpointStatus = Type.Union([
  Type.Literal('active'),
  Type.Literal('paused'),
  Type.Literal('disabled'),
]);
export type WebhookEndpointStatus = Static<typeof WebhookEndpointStatus>;

export const WebhookEndpointRecord = Type.Object({
  ...common,
  entity: Type.Literal('webhook-endpoint'),
  url: NoNul,
  username: NoNul,
  sealedPassword: Sealed,
  /**
   * While rotated credentials overlap: the old ones, used until `until`. A 401 to them is asked
   * again at once with the new ones, so the receiver may change over at any moment in between.
   */
  previous: Type.Optional(
    Type.Object({ username: NoNul, sealedPassword: Sealed, until: UtcTimestamp }),
  ),
  /** paused: nothing is sent, the horizon runs on. disabled: as if there were no endpoint. */
  status: WebhookEndpointStatus,
  /** Why it has this status, for people; and who said so. */
  reason: Type.Optional(Remark),
  changedBy: Type.Optional(Id),
});
export type WebhookEndpointRecord = Static<typeof WebhookEndpointRecord>;

const ProcessorEndpoint = {
  /** The webhook endpoint's id at the processor. */
  id: Id,
  /** What it signs its events with. */
  sealedSecret: Sealed,
};

/** An account at a payment processor, whose events become facts (interface 6.2). */
export const ProcessorConnectionRecord = Type.Object({
  ...common,
  entity: Type.Literal('processor-connection'),
  connectionId: ConnectionId,
  processor: Type.Literal('stripe'),
  /** The version of Stripe's API that its events are written in and that it is asked in. */
  apiVersion: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(\\.[a-z]+)?$' }),
  livemode: Type.Boolean(),
  taxPolicy: TaxPolicy,
  connectedAt: UtcTimestamp,
  /** null once disconnected. */
  sealedApiKey: Type.Union([Sealed, Type.Null()]),
  /** null once disconnected. */
  endpoint: Type.Union([Type.Object(ProcessorEndpoint), Type.Null()]),
  /**
   * The endpoint that was rotated away: its events are accepted until `until`, then it is removed.
   */
  previous: Type.Optional(Type.Object({ ...ProcessorEndpoint, until: UtcTimestamp })),
  status: Type.Union([Type.Literal('active'), Type.Literal('disconnected')]),
  /** Why it has this status, for people; and who said so. */
  reason: Type.Optional(Remark),
  changedBy: Type.Optional(Id),
});
export type ProcessorConnectionRecord = Static<typeof ProcessorConnectionRecord>;

/**
 * A person's e-mail and name are to be forgotten: readers ignore people records received before
 * `erasedAt`, read models null them (design 5). Decisions and balances do not change.
 */
export const ErasureRecord = Type.Object({
  ...common,
  entity: Type.Literal('erasure'),
  userId: Id,
  erasedAt: UtcTimestamp,
});
export type ErasureRecord = Static<typeof ErasureRecord>;

/**
 * How it was shown that a domain is the tenant's. none: not yet, or no longer. kept: it was
 * registered before proofs were asked for, and counts as proved.
 */
export const DomainProof = Type.Union([
  Type.Literal('none'),
  Type.Literal('kept'),
  Type.Literal('dns'),
  Type.Literal('file'),
]);
export type DomainProof = Static<typeof DomainProof>;

/** A domain that a tenant's public pages live at (registered-domain.ts has its form). */
export const DomainRecord = Type.Object({
  ...common,
  entity: Type.Literal('domain'),
  domain: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' }),
  status: Type.Union([Type.Literal('registered'), Type.Literal('removed')]),
  proof: DomainProof,
  /** What a proof has to contain; no secret. Absent until one was asked for. */
  challenge: Type.Optional(NoNul),
});
export type DomainRecord = Static<typeof DomainRecord>;

/** How a tenant's widget looks and what it tells. Absent: {@link defaultWidgetSettings}. */
export const WidgetSettingsRecord = Type.Object({
  ...common,
  entity: Type.Literal('widget-settings'),
  settings: WidgetSettings,
});
export type WidgetSettingsRecord = Static<typeof WidgetSettingsRecord>;

export const CatalogRecord = Type.Union([
  TenantRecord,
  AccessKeyRecord,
  ProductSecretRecord,
  CampaignRevisionRecord,
  WebhookEndpointRecord,
  ErasureRecord,
  ProcessorConnectionRecord,
  DomainRecord,
  WidgetSettingsRecord,
]);
export type CatalogRecord = Static<typeof CatalogRecord>;

export const catalogCodec = createCodec({
  name: 'catalog',
  schemaVersion: catalogSchemaVersion,
  schema: CatalogRecord,
  upcasters: {
    1: (older) => ({ ...older, schemaVersion: 2 }),
    2: (older) => ({ ...older, schemaVersion: 3 }),
    3: (older) => ({ ...older, schemaVersion: 4 }),
    4: (older) => ({ ...older, schemaVersion: 5 }),
    5: (older) => ({ ...older, schemaVersion: 6 }),
    6: (older) => ({ ...older, schemaVersion: 7 }),
    7: (older) => ({
      ...older,
      ...(older['entity'] === 'domain' && { proof: 'kept' }),
      ...(older['status'] === 'disabled' &&
        older['entity'] === 'tenant' && { status: 'suspended' }),
      schemaVersion: 8,
    }),
  },
});

/** Which entity of its tenant a record describes; unique within the tenant. */
export function catalogEntityKey(record: CatalogRecord): string {
  switch (record.entity) {
    case 'tenant':
    case 'product-secret':
    case 'webhook-endpoint':
    case 'widget-settings':
      return record.entity;
    case 'access-key':
      return `access-key:${record.accessKeyId}`;
    case 'erasure':
      return `erasure:${record.userId}`;
    case 'processor-connection':
      return `processor-connection:${record.connectionId}`;
    case 'domain':
      return `domain:${record.domain}`;
    case 'campaign-revision':
      return `campaign-revision:${record.campaignId}:${record.revision}`;
    default:
      return record satisfies never;
  }
}

import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { TenantId } from './record-text.ts';

/**
 * What an operator has set up, on `referral.catalog`. Each entity carries its own `version`
 * (1, 2, …); readers ignore a version not above the one they have, so a stale record can never
 * revive a revoked key. A campaign revision is immutable: its version is always 1.
 */
const common = {
  schemaVersion: Type.Literal(1),
  tenantId: TenantId,
  version: Type.Integer({ minimum: 1 }),
  publishedAt: Type.String(),
};

/** AES-256-GCM under the deployment key ring: `v1.<keyId>.<iv>.<tag>.<ciphertext>`, base64url. */
const Sealed = Type.String({ minLength: 1 });

export const TenantRecord = Type.Object({
  ...common,
  entity: Type.Literal('tenant'),
  name: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
  productId: Type.String(),
  defaultCampaignId: Type.Union([Type.String(), Type.Null()]),
});
export type TenantRecord = Static<typeof TenantRecord>;

export const AccessKeyRecord = Type.Object({
  ...common,
  entity: Type.Literal('access-key'),
  accessKeyId: Type.String(),
  /** HMAC-SHA-256 of the secret access key under the deployment's digest key, base64url. */
  secretDigest: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('revoked')]),
});
export type AccessKeyRecord = Static<typeof AccessKeyRecord>;

export const ProductSecretRecord = Type.Object({
  ...common,
  entity: Type.Literal('product-secret'),
  productId: Type.String(),
  sealedSecret: Sealed,
});
export type ProductSecretRecord = Static<typeof ProductSecretRecord>;

/** Exact decimal number of credits, more than 0, e.g. `10` or `2.50`. */
export const Credits = Type.String({ pattern: '^(?!0+(\\.0+)?$)[0-9]{1,18}(\\.[0-9]{1,6})?$' });

/** One rule of a revision. Later issues add triggers, effects, conditions and limits. */
export const CampaignRule = Type.Object({
  ruleId: Type.String({ minLength: 1, maxLength: 64 }),
  trigger: Type.Union([Type.Literal('purchase-created'), Type.Literal('signup-created')]),
  recipient: Type.Literal('referrer'),
  effect: Type.Object({ kind: Type.Literal('fixed'), credits: Credits }),
});
export type CampaignRule = Static<typeof CampaignRule>;

export const CampaignRevisionRecord = Type.Object({
  ...common,
  entity: Type.Literal('campaign-revision'),
  campaignId: Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]*$' }),
  /** 1, 2, …. Of two revisions the one with the later `effectiveFrom` holds; of equal ones the higher. */
  revision: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  status: Type.Union([Type.Literal('running'), Type.Literal('stopped')]),
  /** UTC with milliseconds; the revision decides facts that occurred at or after it. */
  effectiveFrom: Type.String(),
  landingUrl: Type.String(),
  /** Decimal places of credits in this campaign, 0 to 6. */
  creditScale: Type.Integer({ minimum: 0, maximum: 6 }),
  rules: Type.Array(CampaignRule),
});
export type CampaignRevisionRecord = Static<typeof CampaignRevisionRecord>;

export const WebhookEndpointRecord = Type.Object({
  ...common,
  entity: Type.Literal('webhook-endpoint'),
  url: Type.String(),
  username: Type.String(),
  sealedPassword: Sealed,
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
});
export type WebhookEndpointRecord = Static<typeof WebhookEndpointRecord>;

export const CatalogRecord = Type.Union([
  TenantRecord,
  AccessKeyRecord,
  ProductSecretRecord,
  CampaignRevisionRecord,
  WebhookEndpointRecord,
]);
export type CatalogRecord = Static<typeof CatalogRecord>;

export const catalogCodec = createCodec({
  name: 'catalog',
  schemaVersion: 1,
  schema: CatalogRecord,
});

/** Which entity of its tenant a record describes; unique within the tenant. */
export function catalogEntityKey(record: CatalogRecord): string {
  switch (record.entity) {
    case 'tenant':
    case 'product-secret':
    case 'webhook-endpoint':
      return record.entity;
    case 'access-key':
      return `access-key:${record.accessKeyId}`;
    case 'campaign-revision':
      return `campaign-revision:${record.campaignId}:${record.revision}`;
    default:
      return record satisfies never;
  }
}

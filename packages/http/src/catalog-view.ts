import {
  type AccessKeyRecord,
  type CampaignRevisionRecord,
  catalogEntityKey,
  type CatalogRecord,
  type DomainRecord,
  type ProcessorConnectionRecord,
  type ProductSecretRecord,
  type TenantRecord,
} from '@tributary/contracts/catalog-record';
import { isOriginOfDomain, needsNoProof } from '@tributary/contracts/registered-domain';
import {
  type Dated,
  effectiveFromSeconds,
  revisionInForce,
} from '@tributary/contracts/revision-in-force';
import { defaultWidgetSettings, type WidgetSettings } from '@tributary/contracts/widget-settings';

export type CatalogView = {
  /** Ignores a version not above the one it has: a stale record revives no revoked key. */
  apply(record: CatalogRecord): void;
  /**
   * Grows with everything that is applied: what was derived from the view may be kept until then.
   */
  changes(): number;
  tenant(tenantId: string): TenantRecord | undefined;
  tenants(): TenantRecord[];
  /** Access key ids are unique over all tenants: whoever comes with one names no tenant. */
  accessKey(accessKeyId: string): AccessKeyRecord | undefined;
  /** The key is active and it is this tenant's, which may be suspended. */
  isActive(tenantId: string, accessKeyId: string): boolean;
  productSecret(tenantId: string): ProductSecretRecord | undefined;
  /** By revision, lowest first. */
  campaignRevisions(tenantId: string, campaignId: string): CampaignRevisionRecord[];
  /** The revision that attribution would evaluate an event of this time by. */
  campaignInForce(
    tenantId: string,
    campaignId: string,
    at: Date,
  ): CampaignRevisionRecord | undefined;
  /** Connection ids are unique over all tenants: a processor that calls names no tenant. */
  processorConnection(connectionId: string): ProcessorConnectionRecord | undefined;
  processorConnections(): ProcessorConnectionRecord[];
  /** Product ids are unique over all tenants: a browser names no tenant. */
  tenantOfProduct(productId: string): TenantRecord | undefined;
  /** Active tenants of which a proved domain has pages of this origin. */
  tenantsOfOrigin(origin: string, environment: 'prod' | 'sandbox'): TenantRecord[];
  /** Defaults where the tenant has set nothing. */
  widgetSettings(tenantId: string): WidgetSettings;
};

/**
 * What operators have set up, in memory, as far as this process has read `referral.catalog`. Of
 * records with sealed secrets it has those that `holds` names: a process keeps none that it has no
 * use for.
 */
export function createCatalogView(
  options: { holds?: readonly ('product-secret' | 'processor-connection')[] } = {},
): CatalogView {
  const { holds = [] } = options;
  const versions = new Map<string, number>();
  let changes = 0;
  const tenants = new Map<string, TenantRecord>();
  const accessKeys = new Map<string, AccessKeyRecord>();
  const productSecrets = new Map<string, ProductSecretRecord>();
  const revisions = new Map<string, Revision[]>();
  const processorConnections = new Map<string, ProcessorConnectionRecord>();
  const tenantIdsByProduct = new Map<string, string>();
  const domains = new Map<string, DomainRecord>();
  const widgetSettings = new Map<string, WidgetSettings>();

  const store = (record: CatalogRecord): void => {
    switch (record.entity) {
      case 'tenant':
        tenantIdsByProduct.set(record.productId, record.tenantId);
        return void tenants.set(record.tenantId, record);
      case 'access-key':
        return void accessKeys.set(record.accessKeyId, record);
      case 'product-secret':
        if (holds.includes(record.entity)) productSecrets.set(record.tenantId, record);
        return;
      case 'processor-connection':
        if (holds.includes(record.entity)) processorConnections.set(record.connectionId, record);
        return;
      case 'domain': {
        const key = `${record.tenantId}:${record.domain}`;
        if (record.status === 'registered') domains.set(key, record);
        else domains.delete(key);
        return;
      }
      case 'widget-settings':
        return void widgetSettings.set(record.tenantId, record.settings);
      case 'campaign-revision': {
        const campaign = campaignKey(record.tenantId, record.campaignId);
        const others = revisions.get(campaign)?.filter((r) => r.revision !== record.revision) ?? [];
        const sorted = [...others, toRevision(record)].sort((a, b) => a.revision - b.revision);
        return void revisions.set(campaign, sorted);
      }
      // of no use to those who ask this view
      case 'erasure':
      case 'webhook-endpoint':
        return;
      default:
        return record satisfies never;
    }
  };

  return {
    apply(record) {
      const entity = `${record.tenantId}:${catalogEntityKey(record)}`;
      if (record.version <= (versions.get(entity) ?? 0)) return;
      versions.set(entity, record.version);
      changes += 1;
      store(record);
    },
    changes: () => changes,
    tenant: (tenantId) => tenants.get(tenantId),
    tenants: () => [...tenants.values()],
    accessKey: (accessKeyId) => accessKeys.get(accessKeyId),
    isActive(tenantId, accessKeyId) {
      const key = accessKeys.get(accessKeyId);
      if (key?.tenantId !== tenantId || key.status !== 'active') return false;
      return tenants.has(tenantId);
    },
    productSecret: (tenantId) => productSecrets.get(tenantId),
    campaignRevisions: (tenantId, campaignId) =>
      (revisions.get(campaignKey(tenantId, campaignId)) ?? []).map(({ record }) => record),
    campaignInForce(tenantId, campaignId, at) {
      const dated = revisions.get(campaignKey(tenantId, campaignId))?.filter(isDated) ?? [];
      return revisionInForce(dated, String(at.getTime() / 1_000))?.record;
    },
    processorConnection: (connectionId) => processorConnections.get(connectionId),
    processorConnections: () => [...processorConnections.values()],
    tenantOfProduct: (productId) => tenants.get(tenantIdsByProduct.get(productId) ?? ''),
    tenantsOfOrigin(origin, environment) {
      const there = [...domains.values()].filter(
        ({ domain, proof }) =>
          isOriginOfDomain(origin, domain, environment) &&
          (proof !== 'none' || needsNoProof(domain, environment)),
      );
      const tenantIds = new Set(there.map(({ tenantId }) => tenantId));
      return [...tenantIds].flatMap((tenantId) => {
        const tenant = tenants.get(tenantId);
        return tenant?.status === 'active' ? [tenant] : [];
      });
    },
    widgetSettings: (tenantId) => widgetSettings.get(tenantId) ?? defaultWidgetSettings,
  };
}

type Revision = {
  record: CampaignRevisionRecord;
  revision: number;
  /** Undefined when it cannot be read: such a revision is never in force, as in attribution. */
  effectiveFromSeconds: string | undefined;
};

function toRevision(record: CampaignRevisionRecord): Revision {
  const { revision, effectiveFrom } = record;
  return { record, revision, effectiveFromSeconds: effectiveFromSeconds(effectiveFrom) };
}

function isDated(revision: Revision): revision is Revision & Dated {
  return revision.effectiveFromSeconds !== undefined;
}

/** A tenant id holds no colon. */
function campaignKey(tenantId: string, campaignId: string): string {
  return `${tenantId}:${campaignId}`;
}

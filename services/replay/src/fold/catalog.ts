import { type DatedMode, toDatedMode } from '@tributary/attribution-fold/attribution-mode';
import { toRevision } from '@tributary/attribution-fold/decide-from-scratch';
import type { Revision } from '@tributary/attribution-fold/revision';
import type {
  CampaignRevisionRecord,
  CatalogRecord,
  TenantRecord,
} from '@tributary/contracts/catalog-record';
import { effectiveFromSeconds } from '@tributary/contracts/revision-in-force';
import { recordKey } from '@tributary/contracts/topics';
import { campaignName, lookBackOf } from '@tributary/rewards-fold/look-back';
import type { Cut } from './cut.ts';
import { readSpooled, recordOf } from './store/spooled.ts';
import type { Store } from './store/store.ts';

/** What both folds need of the catalog; small enough for every process. */
export type Catalog = {
  /** By `recordKey(tenantId, campaignId)`. */
  campaigns: ReadonlyMap<string, readonly Revision[]>;
  modes: ReadonlyMap<string, readonly DatedMode[]>;
  revisionOf(name: {
    tenantId: string;
    campaignId?: string | undefined;
    campaignRevision?: number | undefined;
  }): CampaignRevisionRecord | undefined;
  /** Campaigns, by `campaignName`, of which any revision rewards new users. */
  paysNewUsers: ReadonlySet<string>;
};

export const catalogList = 'catalog/0';

export function readCatalog(log: Store, cut: Cut): Catalog {
  const records = readSpooled(log, 'catalog', { name: catalogList, cut })
    .map((entry) => recordOf<CatalogRecord>(entry))
    .filter(({ publishedAt }) => isPublished(cut, publishedAt));
  return catalogOf([...records, ...(cut.draft ? [cut.draft] : [])]);
}

/**
 * Revisions and versions of a tenant are immutable: of two records the first one is kept, as the
 * services do. What has no readable time decides nothing there, and nothing here.
 */
export function catalogOf(records: readonly CatalogRecord[]): Catalog {
  const revisions = new Map<string, CampaignRevisionRecord>();
  const tenants = new Map<string, TenantRecord>();
  for (const record of records) {
    if (record.entity === 'campaign-revision') addOnce(revisions, revisionName(record), record);
    if (record.entity === 'tenant' && effectiveFromSeconds(record.publishedAt) !== undefined) {
      addOnce(tenants, recordKey(record.tenantId, String(record.version)), record);
    }
  }
  const dated = [...revisions.values()].filter(
    ({ effectiveFrom }) => effectiveFromSeconds(effectiveFrom) !== undefined,
  );
  return {
    campaigns: mapValues(
      Map.groupBy(dated, (r) => recordKey(r.tenantId, r.campaignId)),
      (own) => own.map(toRevision),
    ),
    modes: mapValues(
      Map.groupBy(tenants.values(), (tenant) => tenant.tenantId),
      (own) => own.map(toDatedMode),
    ),
    revisionOf: ({ tenantId, campaignId, campaignRevision }) =>
      campaignId === undefined || campaignRevision === undefined
        ? undefined
        : revisions.get(revisionName({ tenantId, campaignId, revision: campaignRevision })),
    paysNewUsers: new Set(
      [...Map.groupBy(revisions.values(), campaignName)]
        .filter(([, own]) => lookBackOf(own).newUsers)
        .map(([name]) => name),
    ),
  };
}

function isPublished({ receivedAt }: Cut, publishedAt: string): boolean {
  return receivedAt === undefined || Date.parse(publishedAt) <= Date.parse(receivedAt);
}

function revisionName(key: Pick<CampaignRevisionRecord, 'tenantId' | 'campaignId' | 'revision'>) {
  return recordKey(key.tenantId, `${key.revision} ${key.campaignId}`);
}

function addOnce<V>(map: Map<string, V>, key: string, value: V): void {
  if (!map.has(key)) map.set(key, value);
}

function mapValues<V, W>(map: Map<string, V>, to: (value: V) => W): Map<string, W> {
  return new Map([...map].map(([key, value]) => [key, to(value)]));
}

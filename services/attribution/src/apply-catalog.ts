import type { CampaignRevisionRecord, CatalogRecord } from '@tributary/contracts/catalog-record';
import { effectiveFromSeconds } from '@tributary/contracts/revision-in-force';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { lockTenants } from './adapters/postgres/advisory-locks.ts';
import {
  type CampaignRevision,
  insertRevisions,
  raiseCatalogVersions,
} from './adapters/postgres/catalog.ts';
import { addRefolds } from './adapters/postgres/refolds.ts';

/**
 * Campaign revisions: stored, and the tenant's catalog version raised, under the tenant's exclusive
 * lock and nothing more, so that events wait for it but a moment. What was decided under an older
 * version and occurred at or after the revision's time is left to the sweeper. For the locks see
 * apply-events.ts.
 */
export function createApplyCatalog({ logger }: { logger: Logger }) {
  return async function applyCatalog(tx: Tx, records: readonly CatalogRecord[]): Promise<void> {
    const revisions = records
      .filter((record) => record.entity === 'campaign-revision')
      .flatMap((record) => readRevision(record) ?? unreadable(record));
    if (revisions.length === 0) return;

    await lockTenants(
      tx,
      'exclusive',
      revisions.map((revision) => revision.tenantId),
    );
    const added = await insertRevisions(tx, revisions);
    if (added.length === 0) return;
    const tenantIds = [...new Set(added.map((revision) => revision.tenantId))];
    const versions = await raiseCatalogVersions(tx, tenantIds);
    await addRefolds(
      tx,
      added.map(({ tenantId, campaignId, effectiveFromSeconds }) => ({
        tenantId,
        scope: 'campaign' as const,
        subject: campaignId,
        foldedBelow: versions.get(tenantId) ?? '0',
        fromSeconds: effectiveFromSeconds,
      })),
    );
  };

  /** Never in force, then; the portal refuses such a revision before it is published. */
  function unreadable({ tenantId, campaignId, revision }: CampaignRevisionRecord): [] {
    logger.error('a campaign revision has no readable effectiveFrom; it decides nothing', {
      tenantId,
      campaignId,
      revision,
    });
    return [];
  }
}

function readRevision(record: CampaignRevisionRecord): CampaignRevision | undefined {
  const fromSeconds = effectiveFromSeconds(record.effectiveFrom);
  if (fromSeconds === undefined) return undefined;
  const { tenantId, campaignId, revision, status, effectiveFrom } = record;
  return {
    ...{ tenantId, campaignId, revision, status, effectiveFrom },
    effectiveFromSeconds: fromSeconds,
  };
}

import type {
  CampaignRevisionRecord,
  CatalogRecord,
  TenantRecord,
} from '@tributary/contracts/catalog-record';
import { effectiveFromSeconds } from '@tributary/contracts/revision-in-force';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { lockTenants } from '../db/advisory-locks.ts';
import {
  type CampaignRevision,
  insertRevisions,
  raiseCatalogVersions,
  readTenants,
  writeModes,
} from '../db/catalog.ts';
import { addRecomputeJobs } from '../db/recompute-jobs.ts';
import {
  everFirstCode,
  fromOf,
  modeAt,
  type Modes,
  repeatHoursAt,
  toDatedMode,
} from '@tributary/attribution-fold/attribution-mode';
import { settingsOf } from '@tributary/attribution-fold/revision';

/**
 * Campaign revisions and attribution modes: stored, and the tenant's catalog version raised, under
 * the tenant's exclusive lock and nothing more, so that events wait for it but a moment. What was
 * decided under an older version and occurred at or after the revision's time is left to the
 * sweeper; so are all users of a tenant whose mode changes, or that ever was in mode `first-code`.
 * For the locks see apply-events.ts.
 */
export function createApplyCatalog({ logger }: { logger: Logger }) {
  return async function applyCatalog(tx: Tx, records: readonly CatalogRecord[]): Promise<void> {
    const revisions = records
      .filter((record) => record.entity === 'campaign-revision')
      .flatMap((record) => readRevision(record) ?? unreadable(record));
    const tenants = records.filter((record) => record.entity === 'tenant');
    const touched = [...revisions, ...tenants].map(({ tenantId }) => tenantId);
    if (touched.length === 0) return;

    await lockTenants(tx, 'exclusive', touched);
    if (revisions.length > 0) await addRevisions(tx, revisions);
    if (tenants.length > 0) await addModes(tx, tenants.filter(isDated));
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

async function addRevisions(tx: Tx, revisions: readonly CampaignRevision[]): Promise<void> {
  const added = await insertRevisions(tx, revisions);
  if (added.length === 0) return;
  const tenantIds = [...new Set(added.map((revision) => revision.tenantId))];
  const versions = await raiseCatalogVersions(tx, tenantIds);
  const tenants = await readTenants(tx, tenantIds);
  const mayBind = ({ tenantId }: CampaignRevision) =>
    everFirstCode(tenants.get(tenantId)?.modes ?? []);
  await addRecomputeJobs(tx, [
    // Whoever has an event with a code of the campaign may be bound by it now, though the event was
    // decided by another code, of another campaign.
    ...[...new Set(added.filter(mayBind).map(({ tenantId }) => tenantId))].map((tenantId) => ({
      ...{ tenantId, scope: 'tenant' as const, subject: '' },
    })),
    ...added
      .filter((revision) => !mayBind(revision))
      .map(({ tenantId, campaignId, effectiveFromSeconds }) => ({
        tenantId,
        scope: 'campaign' as const,
        subject: campaignId,
        foldedBelow: versions.get(tenantId) ?? '0',
        fromSeconds: effectiveFromSeconds,
      })),
  ]);
}

/**
 * Every version is kept, since each holds for its own time. One that sets what held then anyway, as
 * all do that are about something else of the tenant, changes no decision.
 */
async function addModes(tx: Tx, records: readonly TenantRecord[]): Promise<void> {
  const known = await readTenants(
    tx,
    records.map((record) => record.tenantId),
  );
  const changed: { tenantId: string; modes: Modes; differs: boolean }[] = [];
  for (const [tenantId, own] of Map.groupBy(records, (record) => record.tenantId)) {
    const before = known.get(tenantId)?.modes ?? [];
    const added = new Map(own.map((record) => [record.version, toDatedMode(record)]));
    for (const { version } of before) added.delete(version);
    if (added.size === 0) continue;
    const differs = [...added.values()].some((mode) => {
      const at = fromOf(mode);
      const hours = repeatHoursAt([mode], at);
      return modeAt(before, at) !== mode.mode || repeatHoursAt(before, at) !== hours;
    });
    changed.push({ tenantId, modes: [...before, ...added.values()], differs });
  }
  if (changed.length === 0) return;
  await writeModes(tx, changed);
  await addRecomputeJobs(
    tx,
    changed
      .filter(({ differs }) => differs)
      .map(({ tenantId }) => ({ tenantId, scope: 'tenant' as const, subject: '' })),
  );
}

function isDated({ publishedAt }: TenantRecord): boolean {
  return effectiveFromSeconds(publishedAt) !== undefined;
}

function readRevision(record: CampaignRevisionRecord): CampaignRevision | undefined {
  const fromSeconds = effectiveFromSeconds(record.effectiveFrom);
  if (fromSeconds === undefined) return undefined;
  const { tenantId, campaignId, revision, status, effectiveFrom } = record;
  return {
    ...{ tenantId, campaignId, revision, status, effectiveFrom },
    effectiveFromSeconds: fromSeconds,
    ...settingsOf(record),
  };
}

import type { AttributionMode } from '@tributary/contracts/catalog-record';
import type { Tx } from '@tributary/runtime/postgres';
import { readNewestRevision } from '../adapters/postgres/campaign-revisions.ts';
import {
  lockTenant,
  readTenant,
  type TenantRow,
  updateAttributionMode,
  updateDefaultCampaign,
  updateLegacyRepeatHours,
} from '../adapters/postgres/tenants.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog, tenantRecord } from './publish.ts';

export type DefaultCampaignOutcome =
  { outcome: 'chosen'; tenant: TenantRow } | { outcome: 'no-tenant' } | { outcome: 'no-campaign' };

/** Choosing the present default campaign again changes nothing. */
export async function chooseDefaultCampaign(
  deployment: Deployment,
  tenantId: string,
  campaignId: string,
): Promise<DefaultCampaignOutcome> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx): Promise<DefaultCampaignOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
    const tenant = await readTenant(tx, tenantId);
    if (tenant?.defaultCampaignId === campaignId) return { outcome: 'chosen', tenant };
    const campaign = await readNewestRevision(tx, tenantId, campaignId);
    if (campaign === undefined) return { outcome: 'no-campaign' };
    const changed = await updateDefaultCampaign(tx, tenantId, campaignId);
    if (changed === undefined) return { outcome: 'no-tenant' };
    await publishCatalog(tx, deployment, [tenantRecord(changed, clock.now())]);
    return { outcome: 'chosen', tenant: changed };
  });
}

/**
 * Holds for events that occur from now on; what occurred before stays with the mode it was decided
 * under. Choosing the present mode again changes nothing.
 */
export function chooseAttributionMode(
  deployment: Deployment,
  tenantId: string,
  mode: AttributionMode,
): Promise<TenantRow | undefined> {
  return choose(deployment, tenantId, {
    isChosen: (tenant) => tenant.attributionMode === mode,
    update: (tx) => updateAttributionMode(tx, tenantId, mode),
  });
}

/**
 * Holds for legacy payments that are received from now on. Choosing the same again changes nothing.
 */
export function chooseLegacyRepeatHours(
  deployment: Deployment,
  tenantId: string,
  hours: number,
): Promise<TenantRow | undefined> {
  return choose(deployment, tenantId, {
    isChosen: (tenant) => tenant.legacyRepeatHours === hours,
    update: (tx) => updateLegacyRepeatHours(tx, tenantId, hours),
  });
}

async function choose(
  deployment: Deployment,
  tenantId: string,
  setting: {
    isChosen: (tenant: TenantRow) => boolean;
    update: (tx: Tx) => Promise<TenantRow | undefined>;
  },
): Promise<TenantRow | undefined> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return undefined;
    const tenant = await readTenant(tx, tenantId);
    if (tenant && setting.isChosen(tenant)) return tenant;
    const changed = await setting.update(tx);
    if (changed === undefined) return undefined;
    await publishCatalog(tx, deployment, [tenantRecord(changed, clock.now())]);
    return changed;
  });
}

import { readNewestRevision } from '../db/campaign-revisions.ts';
import { lockTenant, readTenant, type TenantRow, updateTenant } from '../db/tenants.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishTenant } from './publish.ts';

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
    const at = clock.now();
    const changed = await updateTenant(tx, tenantId, 'defaultCampaignId', campaignId, at);
    if (changed === undefined) return { outcome: 'no-tenant' };
    await publishTenant(tx, deployment, at, changed);
    return { outcome: 'chosen', tenant: changed };
  });
}

/**
 * The attribution mode holds for events that occur from now on; what occurred before stays with the
 * mode it was decided under. The hours hold for legacy payments that are received from now on, the
 * limit of events and the status at once.
 * Choosing the present one again changes nothing.
 */
export async function chooseSetting<
  S extends 'attributionMode' | 'legacyRepeatHours' | 'eventsPerSecond' | 'status',
>(
  deployment: Deployment,
  tenantId: string,
  setting: S,
  value: TenantRow[S],
): Promise<TenantRow | undefined> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return undefined;
    const tenant = await readTenant(tx, tenantId);
    if (tenant?.[setting] === value) return tenant;
    const at = clock.now();
    const changed = await updateTenant(tx, tenantId, setting, value, at);
    if (changed === undefined) return undefined;
    await publishTenant(tx, deployment, at, changed);
    return changed;
  });
}

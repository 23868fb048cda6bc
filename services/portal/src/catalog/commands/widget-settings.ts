import { isDeepStrictEqual } from 'node:util';
import type { WidgetSettings } from '@tributary/contracts/widget-settings';
import { inTransaction } from '@tributary/runtime/postgres';
import { lockTenant, readTenant } from '../db/tenants.ts';
import { putWidgetSettings, readWidgetSettings } from '../db/widget-settings.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog } from './publish.ts';

/** All of them, the defaults included. Undefined when there is no such tenant. */
export async function showWidgetSettings(
  { pool }: Deployment,
  tenantId: string,
): Promise<WidgetSettings | undefined> {
  return inTransaction(pool, async (tx) => {
    if ((await readTenant(tx, tenantId)) === undefined) return undefined;
    return readWidgetSettings(tx, tenantId);
  });
}

/**
 * Settings that are not given stay; one that is given, a theme or texts too, is replaced as a
 * whole. What is already so is no change. Undefined when there is no such tenant.
 */
export async function changeWidgetSettings(
  deployment: Deployment,
  tenantId: string,
  input: Partial<WidgetSettings>,
): Promise<WidgetSettings | undefined> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return undefined;
    const present = await readWidgetSettings(tx, tenantId);
    // Plain objects all the way down, which what was read from a body need not be.
    const settings = structuredClone({ ...present, ...input });
    if (isDeepStrictEqual(settings, present)) return present;
    const at = clock.now();
    const version = await putWidgetSettings(tx, tenantId, settings, at);
    const change = { entity: 'widget-settings', tenantId, version, settings } as const;
    await publishCatalog(tx, deployment, at, change);
    return settings;
  });
}

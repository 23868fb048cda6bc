import { markCodeDisabled, readCode, type StoredCode } from '../db/codes.ts';
import { readTenant } from '../db/tenants.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCode } from './publish.ts';

export type DisabledCode = {
  ucc: string;
  campaignId: string;
  productUserId: string;
  disabledAt: string;
};
export type DisableCodeOutcome =
  { outcome: 'disabled'; code: DisabledCode } | { outcome: 'no-tenant' | 'no-code' };

/**
 * Events received from now on are not attributed by the code, until it is enabled again; what it
 * earned before stays. It goes to nobody else. Disabling twice is one change.
 */
export async function disableCode(
  deployment: Deployment,
  tenantId: string,
  ucc: string,
): Promise<DisableCodeOutcome> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx): Promise<DisableCodeOutcome> => {
    if ((await readTenant(tx, tenantId)) === undefined) return { outcome: 'no-tenant' };
    const at = clock.now();
    const disabled = await markCodeDisabled(tx, { tenantId, ucc, at });
    if (disabled === undefined) {
      const present = await readCode(tx, tenantId, ucc);
      return present?.disabledAt ? outcomeOf(present, present.disabledAt) : { outcome: 'no-code' };
    }
    const { campaignId, productUserId, version } = disabled;
    await publishCode(tx, deployment, {
      schemaVersion: 1,
      type: 'code-disabled',
      tenantId,
      ucc,
      version,
      campaignId,
      productUserId,
      at: at.toISOString(),
    });
    return outcomeOf(disabled, at);
  });
}

function outcomeOf({ ucc, campaignId, productUserId }: StoredCode, at: Date): DisableCodeOutcome {
  const code = { ucc, campaignId, productUserId, disabledAt: at.toISOString() };
  return { outcome: 'disabled', code };
}

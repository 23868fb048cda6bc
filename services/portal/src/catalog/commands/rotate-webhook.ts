import { lockTenant } from '../db/tenants.ts';
import { readWebhookEndpoint } from '../db/webhook-endpoints.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { randomSecret } from './random-secret.ts';
import { seal } from './sealing.ts';
import { runningOverlap, storeWebhook } from './store-webhook.ts';

type RotatedWebhook = {
  url: string;
  username: string;
  password: string;
  previousUntil: string | null;
};

export type RotateOutcome =
  { outcome: 'rotated'; webhook: RotatedWebhook } | { outcome: 'no-tenant' | 'no-webhook' };

/**
 * A new webhook password. The old credentials are sent first until the overlap is over, and on a
 * 401 the new ones, so the receiver changes over when it likes.
 *
 * Rotated again meanwhile, what receivers surely have are still the credentials from before the
 * first rotation: they stay the previous ones, and only the new password is replaced.
 */
export async function rotateWebhook(
  deployment: Deployment,
  tenantId: string,
  { overlapHours, by }: { overlapHours: number; by: string },
): Promise<RotateOutcome> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx): Promise<RotateOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
    const present = await readWebhookEndpoint(tx, tenantId);
    if (present === undefined) return { outcome: 'no-webhook' };

    const at = clock.now();
    const until = new Date(at.getTime() + overlapHours * 3_600_000);
    const { url, username } = present;
    const { username: known, sealedPassword } = runningOverlap(present.previous, at) ?? present;
    const previous = overlapHours === 0 ? undefined : { username: known, sealedPassword, until };
    const password = randomSecret(32);
    const sealedNew = seal(deployment, tenantId, 'webhook-password', password);
    const endpoint = { ...present, sealedPassword: sealedNew, previous, changedBy: by };
    await storeWebhook(tx, deployment, tenantId, endpoint, at);
    const previousUntil = previous?.until.toISOString() ?? null;
    return { outcome: 'rotated', webhook: { url, username, password, previousUntil } };
  });
}

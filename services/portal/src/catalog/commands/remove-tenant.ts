import { listAccessKeys } from '../db/access-keys.ts';
import { listProcessorConnections } from '../db/processor-connections.ts';
import { listDomains } from '../db/registered-domains.ts';
import {
  lockTenant,
  lockTenantName,
  markTenantRemoved,
  readChangedAt,
  readTenant,
} from '../db/tenants.ts';
import { readWebhookEndpoint } from '../db/webhook-endpoints.ts';
import { revokeKey } from './access-key.ts';
import type { ProcessorQuestions } from './ask-processor.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { disconnectProcessor } from './disconnect-processor.ts';
import { publishTenant } from './publish.ts';
import { changeDomain } from './registered-domains.ts';
import { storeWebhook } from './store-webhook.ts';

export type RemovalOutcome =
  { outcome: 'removed'; removedAt: Date } | { outcome: 'not-suspended' | 'no-tenant' };

const reason = 'the tenant is removed';

/**
 * All that the catalog says of a tenant, in one transaction: from then on nothing of it changes but
 * what is left to do at Stripe and about its people. Removing twice is one change, and only the
 * first asks for an export: `checkExport` throws when it may lack anything of the tenant, which was
 * changed last, suspended at the latest, at the given time.
 */
export async function removeTenant(
  deployment: Deployment,
  tenantId: string,
  { by, checkExport }: { by: string; checkExport: (changedAt: Date) => Promise<void> },
): Promise<RemovalOutcome> {
  return changeCatalog(deployment, async (tx): Promise<RemovalOutcome> => {
    const named = await readTenant(tx, tenantId);
    if (named === undefined) return { outcome: 'no-tenant' };
    await lockTenantName(tx, named.name);
    if (!(await lockTenant(tx, tenantId, { evenRemoved: true }))) return { outcome: 'no-tenant' };
    const tenant = await readTenant(tx, tenantId);
    if (tenant === undefined) return { outcome: 'no-tenant' };
    const { removedAt } = tenant;
    if (removedAt !== null) return { outcome: 'removed', removedAt };
    if (tenant.status !== 'suspended') return { outcome: 'not-suspended' };
    const changedAt = await readChangedAt(tx, tenantId);
    if (changedAt === undefined) return { outcome: 'no-tenant' };
    await checkExport(changedAt);

    const at = deployment.clock.now();
    for (const { accessKeyId } of await listAccessKeys(tx, tenantId)) {
      await revokeKey(tx, deployment, { tenantId, accessKeyId, at });
    }
    for (const row of await listDomains(tx, tenantId)) {
      const removed = { status: 'removed', proof: 'none', challenge: null } as const;
      await changeDomain(tx, deployment, { ...row, ...removed });
    }
    const webhook = await readWebhookEndpoint(tx, tenantId);
    if (webhook !== undefined && webhook.status !== 'disabled') {
      const disabled = { ...webhook, status: 'disabled', reason, changedBy: by } as const;
      await storeWebhook(tx, deployment, tenantId, disabled, at);
    }
    const marked = await markTenantRemoved(tx, tenantId, at);
    if (marked === undefined) throw new Error('a tenant changed while it was locked');
    await publishTenant(tx, deployment, at, marked);
    return { outcome: 'removed', removedAt: at };
  });
}

/** Those that are connected still, and why. They can be tried again, or ended by hand by force. */
export async function disconnectAll(
  deployment: Deployment,
  questions: ProcessorQuestions,
  tenantId: string,
  by: string,
): Promise<{ connectionId: string; detail: string }[]> {
  const left = [];
  for (const row of await listProcessorConnections(deployment.pool, tenantId)) {
    if (row.status === 'disconnected') continue;
    const { connectionId } = row;
    const done = await disconnectProcessor(deployment, questions, row, { by, reason });
    if (done.outcome === 'busy')
      left.push({ connectionId, detail: 'another request is working on it' });
    if (done.outcome !== 'not-closed') continue;
    const { answer } = done;
    const detail = answer.outcome === 'refused' ? answer.problem.detail : answer.detail;
    left.push({ connectionId, detail: detail ?? 'it was refused' });
  }
  return left;
}

import { keyedDigest } from '@tributary/runtime/secrets';
import {
  type AccessKeyRow,
  insertAccessKey,
  markAccessKeyRevoked,
  readAccessKey,
} from '../db/access-keys.ts';
import { lockTenant } from '../db/tenants.ts';
import { type CatalogTx, changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog } from './publish.ts';
import { randomSecret } from './random-secret.ts';

/** A key pair for `POST /token`. The secret leaves here once; only its keyed digest stays. */
export async function issueAccessKey(
  deployment: Deployment,
  tenantId: string,
  about: { name: string | null; createdBy: string },
): Promise<{ accessKeyId: string; secretAccessKey: string } | undefined> {
  const { clock, randomId, accessKeyDigestKey } = deployment;
  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return undefined;
    const at = clock.now();
    const secretAccessKey = randomSecret(32);
    const row: AccessKeyRow = {
      accessKeyId: `ak-${randomId(20)}`,
      tenantId,
      secretDigest: keyedDigest(accessKeyDigestKey, secretAccessKey),
      status: 'active',
      version: 1,
      ...about,
    };
    await insertAccessKey(tx, { ...row, at });
    await publishCatalog(tx, deployment, at, toRecord(row));
    return { accessKeyId: row.accessKeyId, secretAccessKey };
  });
}

/** Revoking twice is one change. Undefined when the tenant has no such key. */
export async function revokeAccessKey(
  deployment: Deployment,
  tenantId: string,
  accessKeyId: string,
): Promise<{ accessKeyId: string; status: 'revoked' } | undefined> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return undefined;
    const at = clock.now();
    const isRevoked = await revokeKey(tx, deployment, { tenantId, accessKeyId, at });
    if (!isRevoked && (await readAccessKey(tx, tenantId, accessKeyId)) === undefined) {
      return undefined;
    }
    return { accessKeyId, status: 'revoked' } as const;
  });
}

/** False when it was not active. */
export async function revokeKey(
  tx: CatalogTx,
  deployment: Deployment,
  key: { tenantId: string; accessKeyId: string; at: Date },
): Promise<boolean> {
  const revoked = await markAccessKeyRevoked(tx, key);
  if (revoked !== undefined) await publishCatalog(tx, deployment, key.at, toRecord(revoked));
  return revoked !== undefined;
}

function toRecord({ name, createdBy, ...row }: AccessKeyRow) {
  return {
    ...row,
    entity: 'access-key',
    ...(name !== null && { name }),
    ...(createdBy !== null && { createdBy }),
  } as const;
}

import { keyedDigest } from '@tributary/runtime/secrets';
import {
  type AccessKeyRow,
  insertAccessKey,
  markAccessKeyRevoked,
  readAccessKey,
} from '../db/access-keys.ts';
import { lockTenant } from '../db/tenants.ts';
import { changeCatalog } from './change-catalog.ts';
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
    const revoked = await markAccessKeyRevoked(tx, { tenantId, accessKeyId, at });
    if (revoked !== undefined) {
      await publishCatalog(tx, deployment, at, toRecord(revoked));
    } else if ((await readAccessKey(tx, tenantId, accessKeyId)) === undefined) {
      return undefined;
    }
    return { accessKeyId, status: 'revoked' } as const;
  });
}

function toRecord({ name, createdBy, ...row }: AccessKeyRow) {
  return {
    ...row,
    entity: 'access-key',
    ...(name !== null && { name }),
    ...(createdBy !== null && { createdBy }),
  } as const;
}

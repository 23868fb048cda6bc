import { putProductSecret } from '../db/product-secrets.ts';
import { lockTenant, readTenant } from '../db/tenants.ts';
import { type CatalogTx, changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog } from './publish.ts';
import { randomSecret } from './random-secret.ts';
import { seal } from './sealing.ts';

/** A new product secret in place of the old one, which is worth nothing from then on. */
export async function rotateProductSecret(
  deployment: Deployment,
  tenantId: string,
): Promise<{ productId: string; productSecret: string } | undefined> {
  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return undefined;
    const tenant = await readTenant(tx, tenantId);
    if (tenant === undefined) return undefined;
    const productSecret = await renewProductSecret(tx, deployment, tenant, deployment.clock.now());
    return { productId: tenant.productId, productSecret };
  });
}

export async function renewProductSecret(
  tx: CatalogTx,
  deployment: Deployment,
  { tenantId, productId }: { tenantId: string; productId: string },
  at: Date,
): Promise<string> {
  // 86 characters: the widget's HS512 key is the secret's text and must have 64 bytes (design 8).
  const productSecret = randomSecret(64);
  const sealedSecret = seal(deployment, tenantId, 'product-secret', productSecret);
  await publishProductSecret(tx, deployment, { tenantId, productId }, sealedSecret, at);
  return productSecret;
}

/** Writes a sealed secret in place of the present one, and its record. */
export async function publishProductSecret(
  tx: CatalogTx,
  deployment: Deployment,
  { tenantId, productId }: { tenantId: string; productId: string },
  sealedSecret: string,
  at: Date,
): Promise<void> {
  const version = await putProductSecret(tx, { tenantId, sealedSecret, at });
  const change = { entity: 'product-secret', tenantId, version, productId, sealedSecret } as const;
  await publishCatalog(tx, deployment, at, change);
}

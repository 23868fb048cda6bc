import type { Demo } from './demo-file.ts';
import { shopTenant } from './demo-tenants.ts';

/** What the demo shop is told of its tenant; address of the API, port and file come on top. */
export function shopVariables({ assetsUrl, shopUrl, tenants }: Demo): Record<string, string> {
  const { tenantId } = shopTenant(shopUrl);
  const tenant = tenants.find((one) => one.tenantId === tenantId);
  if (tenant === undefined) throw new Error(`${tenantId} is not among the demo tenants`);
  return {
    TRIBUTARY_ASSETS_URL: assetsUrl,
    TRIBUTARY_SHOP_URL: shopUrl,
    TRIBUTARY_PRODUCT_ID: tenant.productId,
    TRIBUTARY_PRODUCT_SECRET: tenant.productSecret,
    TRIBUTARY_ACCESS_KEY_ID: tenant.accessKeyId,
    TRIBUTARY_SECRET_ACCESS_KEY: tenant.secretAccessKey,
    TRIBUTARY_DEMO_REFERRER: tenant.referrer.productUserId,
  };
}

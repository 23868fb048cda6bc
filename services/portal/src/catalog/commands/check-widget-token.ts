import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import type { browserScriptRoutes } from '@tributary/contracts/admin/browser-scripts';
import {
  createWidgetTokenVerifier,
  type TokenCatalog,
  type TokenReading,
} from '@tributary/http/widget-token';
import { quotedFromToken } from '@tributary/http/widget-claims';
import { inTransaction } from '@tributary/runtime/postgres';
import { readSealedProductSecret } from '../db/product-secrets.ts';
import { readTenant } from '../db/tenants.ts';
import { readWidgetSettings } from '../db/widget-settings.ts';
import type { Deployment } from './deployment.ts';

export type TokenCheck = AnswerBodyOf<(typeof browserScriptRoutes)['checkWidgetToken']>;

/**
 * Whether the widget would take a token of this tenant now, and why not. Of a token that names
 * another product nothing is known here: the widget may well take it, for whose product it is. The
 * widget service's own function says it, by what the portal holds of the tenant. Nothing of the
 * token is kept or logged. Undefined when there is no such tenant.
 */
export async function checkWidgetToken(
  { pool, keyRings, clock }: Deployment,
  tenantId: string,
  token: string,
): Promise<TokenCheck | undefined> {
  const found = await inTransaction(pool, async (tx) => {
    const tenant = await readTenant(tx, tenantId);
    if (tenant === undefined) return undefined;
    const sealedSecret = await readSealedProductSecret(tx, tenantId);
    return { tenant, sealedSecret, settings: await readWidgetSettings(tx, tenantId) };
  });
  if (found === undefined) return undefined;
  const { tenant, sealedSecret, settings } = found;
  const { productId, status } = tenant;
  let named: string | undefined;
  const catalog: TokenCatalog = {
    tenantOfProduct: (asked) => {
      named = asked;
      return asked === productId ? tenant : undefined;
    },
    productSecret: () => (sealedSecret === undefined ? undefined : { productId, sealedSecret }),
    widgetSettings: () => settings,
  };
  const secrets = keyRings['product-secrets'];
  const reading = createWidgetTokenVerifier({ catalog, secrets, clock })(token);
  if (named !== undefined && named !== productId) {
    const detail = `The token names the product ${quotedFromToken(named)}; this tenant's is "${productId}".`;
    return { accepted: false, fault: 'other-product', detail };
  }
  return describe(reading, { productId, status });
}

function describe(
  reading: TokenReading,
  { productId, status }: { productId: string; status: 'active' | 'suspended' },
): TokenCheck {
  if (reading.outcome === 'user') {
    const issuedAt = new Date(reading.issuedAtSeconds * 1_000).toISOString();
    return { accepted: true, productUserId: reading.user.productUserId, issuedAt };
  }
  const { fault, detail } = reading;
  if (fault !== 'product') return { accepted: false, fault, detail };
  const theirs = `This tenant's productId is "${productId}"${status === 'active' ? '' : ', and the tenant is suspended'}.`;
  return { accepted: false, fault, detail: `${detail} ${theirs}` };
}

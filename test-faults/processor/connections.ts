import { randomBytes } from 'node:crypto';
import {
  catalogSchemaVersion,
  type ProcessorConnectionRecord,
} from '@tributary/contracts/catalog-record';
import type { TaxPolicy } from '@tributary/contracts/processor-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { type KeyRing, sealSecret } from '@tributary/runtime/secrets';
import { stripeApiVersions, type StripeShape } from '@tributary/testkit/stripe/api-version';
import { startOfTime } from '../chain/records.ts';

/** A tenant's account at Stripe, as connected. */
export type Connection = {
  tenantId: string;
  connectionId: string;
  shape: StripeShape;
  taxPolicy: TaxPolicy;
  signingSecret: string;
};

export function connectionOf(
  tenantId: string,
  { shape = 'new', taxPolicy = 'gross' }: { shape?: StripeShape; taxPolicy?: TaxPolicy } = {},
): Connection {
  const connectionId = randomBytes(12).toString('hex');
  const signingSecret = `whsec_${randomBytes(24).toString('hex')}`;
  return { tenantId, connectionId, shape, taxPolicy, signingSecret };
}

/** As the portal says it on the log. */
export function recordOf(
  { tenantId, connectionId, shape, taxPolicy, signingSecret }: Connection,
  { keyRing, apiKey }: { keyRing: KeyRing; apiKey: string },
): ProcessorConnectionRecord {
  const seal = (text: string, use: 'processor-api-key' | 'processor-signing-secret') =>
    sealSecret(keyRing, text, secretContext(tenantId, use));
  return {
    ...{ schemaVersion: catalogSchemaVersion, entity: 'processor-connection', version: 1 },
    ...{ publishedAt: startOfTime, connectedAt: startOfTime, processor: 'stripe' },
    ...{ tenantId, connectionId, taxPolicy, livemode: false, status: 'active' },
    apiVersion: stripeApiVersions[shape],
    sealedApiKey: seal(apiKey, 'processor-api-key'),
    endpoint: {
      id: `we_${connectionId}`,
      sealedSecret: seal(signingSecret, 'processor-signing-secret'),
    },
  };
}

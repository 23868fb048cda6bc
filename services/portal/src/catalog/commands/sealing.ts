import { secretContext, type SecretUse } from '@tributary/contracts/secret-context';
import type { RingPurpose } from '@tributary/runtime/key-rings';
import { openSecret, sealSecret } from '@tributary/runtime/secrets';
import type { Deployment } from './deployment.ts';

type Rings = Pick<Deployment, 'keyRings'>;

const purposes: Record<SecretUse, RingPurpose> = {
  'product-secret': 'product-secrets',
  'webhook-password': 'webhook-passwords',
  'processor-api-key': 'processor-keys',
  'processor-signing-secret': 'processor-keys',
};

/** Seals a secret of a tenant under the newest key of the ring of its purpose. */
export function seal(rings: Rings, tenantId: string, use: SecretUse, text: string): string {
  return sealSecret(rings.keyRings[purposes[use]], text, secretContext(tenantId, use));
}

/** @throws when it was sealed for another tenant or use, or by a key that the ring lacks. */
export function open(rings: Rings, tenantId: string, use: SecretUse, sealed: string): string {
  return openSecret(rings.keyRings[purposes[use]], sealed, secretContext(tenantId, use));
}

/** The same text under the newest key; as it is when it is sealed by that already. */
export function reseal(rings: Rings, tenantId: string, use: SecretUse, sealed: string): string {
  const newest = rings.keyRings[purposes[use]][0]?.keyId;
  if (keyIdOf(sealed) === newest) return sealed;
  return seal(rings, tenantId, use, open(rings, tenantId, use, sealed));
}

function keyIdOf(sealed: string): string | undefined {
  return sealed.split('.')[1];
}

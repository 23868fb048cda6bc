import { Type } from '@sinclair/typebox';
import type { KeyRing } from './secrets.ts';
import { keyRing } from './variable-rules.ts';

// The rings that seal secrets which must be read back, one for each purpose: a service is given the
// ring of what it uses and opens nothing else. The portal, which seals, has them all.

export type RingPurpose =
  'product-secrets' | 'webhook-passwords' | 'processor-keys' | 'second-factors';
export type KeyRings = Readonly<Record<RingPurpose, KeyRing>>;

/** AES-256 takes exactly 32 bytes. */
const ring = keyRing({ minBytes: 32, maxBytes: 32 });

/**
 * The one ring that earlier releases had for all purposes. What it sealed opens until everything is
 * sealed anew; whoever is not given a ring of its own goes on with it alone.
 */
const formerRing = { TRIBUTARY_SECRET_KEY_RING: Type.Optional(ring) };

export const productSecretRing = { TRIBUTARY_PRODUCT_SECRET_KEY_RING: ownRing(), ...formerRing };
export const webhookPasswordRing = {
  TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: ownRing(),
  ...formerRing,
};
export const processorKeyRing = { TRIBUTARY_PROCESSOR_KEY_RING: ownRing(), ...formerRing };
export const secondFactorRing = { TRIBUTARY_SECOND_FACTOR_KEY_RING: ownRing(), ...formerRing };

/** A ring as its own variable and the former one have it: its own keys are the newer ones. */
export function readKeyRing(own: string, former: string | undefined): KeyRing {
  const ofOwn = own === '' ? [] : parseKeyRing(own);
  const known = new Set(ofOwn.map(({ keyId }) => keyId));
  const ofFormer = former === undefined ? [] : parseKeyRing(former);
  return [...ofOwn, ...ofFormer.filter(({ keyId }) => !known.has(keyId))];
}

/** `keyId:base64,keyId:base64`, newest first. The form was checked with the configuration. */
export function parseKeyRing(text: string): KeyRing {
  return text.split(',').map((entry) => {
    const [keyId = '', base64 = ''] = entry.trim().split(':');
    return { keyId, key: Buffer.from(base64, 'base64') };
  });
}

/** Required, unless the former ring is there. */
function ownRing() {
  const { expected, verify } = ring as unknown as {
    expected: string;
    verify: (text: string) => string | undefined;
  };
  return Type.String({
    secret: true,
    default: '',
    expected,
    verify(text: string, all: Readonly<Record<string, unknown>>) {
      const former = all['TRIBUTARY_SECRET_KEY_RING'] as string | undefined;
      if (text === '')
        return former === undefined ? `is missing; it must be ${expected}` : undefined;
      return verify(text) ?? mistakeOfSharedId(text, former);
    },
  });
}

/** A sealed text names its key by the id alone. */
function mistakeOfSharedId(text: string, former: string | undefined): string | undefined {
  if (former === undefined) return undefined;
  const formerKeys = new Map(parseKeyRing(former).map(({ keyId, key }) => [keyId, key]));
  const other = parseKeyRing(text).find(
    ({ keyId, key }) => formerKeys.get(keyId)?.equals(key) === false,
  );
  return (
    other && `has another key under the id ${other.keyId}, which TRIBUTARY_SECRET_KEY_RING has, too`
  );
}

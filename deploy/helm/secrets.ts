import { createSecrets, type DeploymentSecrets } from '../local/deployment-secrets.ts';
import { createPasswords, type ServicePasswords } from '../local/service-passwords.ts';
import { verifyKeyOf } from '../../packages/runtime/src/token-keys.ts';

export type Secret = {
  apiVersion: 'v1';
  kind: 'Secret';
  metadata: { name: string };
  type: 'Opaque';
  stringData: Record<string, string>;
};

/**
 * The Secrets that the chart's defaults name: the keys of the deployment, and for each server the
 * password of everybody who connects to it. They are new unless given.
 */
export function createChartSecrets({
  secrets = createSecrets(),
  passwords = createPasswords(),
}: { secrets?: DeploymentSecrets; passwords?: ServicePasswords } = {}): Secret[] {
  return [
    secret('tributary-keys', keysOf(secrets)),
    ...(['kafka', 'postgres', 'redis'] as const).map((server) =>
      secret(`tributary-${server}`, withoutAdmin(passwords[server])),
    ),
  ];
}

function secret(name: string, stringData: Record<string, string>): Secret {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'Opaque', stringData };
}

function keysOf(secrets: DeploymentSecrets): Record<string, string> {
  return {
    TRIBUTARY_OPERATOR_TOKEN: secrets.operatorToken,
    TRIBUTARY_INTERNAL_TOKEN: secrets.internalToken,
    TRIBUTARY_TOKEN_SIGNING_KEY: secrets.tokenSigningKey,
    TRIBUTARY_TOKEN_VERIFY_KEYS: verifyKeyOf(secrets.tokenSigningKey),
    TRIBUTARY_ACCESS_KEY_DIGEST_KEY: secrets.accessKeyDigestKey,
    TRIBUTARY_FINGERPRINT_KEY: secrets.fingerprintKey,
    TRIBUTARY_UCC_KEY: secrets.uccKey,
    TRIBUTARY_PRODUCT_SECRET_KEY_RING: secrets.productSecretKeyRing,
    TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: secrets.webhookPasswordKeyRing,
    TRIBUTARY_PROCESSOR_KEY_RING: secrets.processorKeyRing,
    TRIBUTARY_SECOND_FACTOR_KEY_RING: secrets.secondFactorKeyRing,
  };
}

/** Administrators are the servers' own. */
function withoutAdmin({
  admin: _own,
  ...others
}: ServicePasswords[keyof ServicePasswords]): Record<string, string> {
  return others;
}

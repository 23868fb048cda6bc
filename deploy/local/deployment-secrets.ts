import { randomBytes } from 'node:crypto';
import { makeTokenSigningKey } from '../../packages/runtime/src/token-keys.ts';
import { readJsonFile, writeSecretFile } from '../demo/demo-file.ts';

/** The keys of one deployment. Losing them makes its stored secrets unreadable. */
export type DeploymentSecrets = {
  operatorToken: string;
  /** Between the services. */
  internalToken: string;
  /** `keyId:base64`, as the services' variables take it; the public half follows from it. */
  tokenSigningKey: string;
  /** One key ring for each purpose. */
  productSecretKeyRing: string;
  webhookPasswordKeyRing: string;
  processorKeyRing: string;
  secondFactorKeyRing: string;
  /** In the file of an older release: what it sealed is still there. */
  secretKeyRing?: string;
  accessKeyDigestKey: string;
  fingerprintKey: string;
  uccKey: string;
  postgresPassword: string;
  /** The demo receiver's Basic passwords are derived from it. */
  demoWebhookKey: string;
};

/**
 * The secrets in the file; made and written (mode 0600) the first time, and again when this release
 * has one that the file of an older release lacks.
 */
export function ensureSecrets(file: string): DeploymentSecrets {
  const found = readJsonFile<Partial<DeploymentSecrets>>(file);
  const secrets = { ...createSecrets(), ...found };
  if (Object.keys(secrets).length > Object.keys(found ?? {}).length) writeSecretFile(file, secrets);
  return secrets;
}

export function createSecrets(): DeploymentSecrets {
  return {
    operatorToken: `op_${randomBytes(32).toString('base64url')}`,
    internalToken: `in_${randomBytes(32).toString('base64url')}`,
    tokenSigningKey: makeTokenSigningKey('token-1'),
    productSecretKeyRing: `product-1:${key()}`,
    webhookPasswordKeyRing: `webhook-1:${key()}`,
    processorKeyRing: `processor-1:${key()}`,
    secondFactorKeyRing: `second-1:${key()}`,
    accessKeyDigestKey: key(),
    fingerprintKey: key(),
    uccKey: key(),
    // Goes into a URL.
    postgresPassword: randomBytes(24).toString('hex'),
    demoWebhookKey: key(),
  };
}

function key(): string {
  return randomBytes(32).toString('base64');
}

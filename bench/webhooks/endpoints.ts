import { randomBytes } from 'node:crypto';
import { secretContext } from '@tributary/contracts/secret-context';
import { sealSecret } from '@tributary/runtime/secrets';
import { tenantOf } from './deliveries.ts';

/** A customer's endpoint, as all systems are told of it. */
export type Endpoint = {
  tenantId: string;
  url: string;
  username: string;
  sealedPassword: string;
};

const key = randomBytes(32);

/** As the variable of services spells it. */
export const keyRing = `bench:${key.toString('base64')}`;

/** Where the sink is, as the variables of the service spell it. */
export const allowedNetworks = '127.0.0.0/8';
export const allowedPorts = '1-65535';

export function makeEndpoints(urls: readonly string[]): Endpoint[] {
  return urls.map((url, n) => {
    const tenantId = tenantOf(n);
    const context = secretContext(tenantId, 'webhook-password');
    const secrets = [{ keyId: 'bench', key }];
    const sealedPassword = sealSecret(secrets, `password of ${tenantId}`, context);
    return { tenantId, url, username: `user-${n}`, sealedPassword };
  });
}

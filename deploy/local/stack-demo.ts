import { createAdminClient } from '../demo/admin-client.ts';
import { type Demo, writeSecretFile } from '../demo/demo-file.ts';
import { ensureDemoOwner } from '../demo/demo-owner.ts';
import { provision } from '../demo/provision.ts';
import type { DeploymentSecrets } from './deployment-secrets.ts';
import { saslOf } from './server-variables.ts';
import type { ServicePasswords } from './service-passwords.ts';
import type { Servers } from './service-variables.ts';
import type { StackOptions } from './stack.ts';

/** Provisions through the edge, as an operator would, and writes the demo file. */
export async function makeDemo(
  { state, ports }: StackOptions,
  given: { servers: Servers; secrets: DeploymentSecrets; passwords: ServicePasswords },
): Promise<Demo> {
  const { servers, secrets, passwords } = given;
  const baseUrl = `http://127.0.0.1:${ports.edge}`;
  const receiverUrl = `http://127.0.0.1:${ports.demoReceiver}`;
  const shopUrl = `http://localhost:${ports.demoShop}`;
  const admin = createAdminClient({ baseUrl, token: secrets.operatorToken });
  const tenants = await provision({
    admin,
    file: state.provisionedFile,
    webhookKey: secrets.demoWebhookKey,
    receiver: { webhookBaseUrl: receiverUrl, receivedBaseUrl: receiverUrl },
    shopUrl,
  });
  const tenantId = tenants[0]?.tenantId ?? '';
  const owner = await ensureDemoOwner({ admin, file: state.provisionedFile, tenantId });
  const demo: Demo = {
    environment: 'sandbox',
    baseUrl,
    assetsUrl: baseUrl,
    portalUrl: `${baseUrl}/portal`,
    shopUrl,
    adminToken: secrets.operatorToken,
    owner,
    ...servers,
    // Reads and writes what `tributary export` and `tributary import` do.
    kafkaSasl: saslOf('transfer', passwords),
    tenants,
  };
  writeSecretFile(state.demoFile, demo);
  return demo;
}

import { createAdminClient } from '../demo/admin-client.ts';
import { type Demo, writeSecretFile } from '../demo/demo-file.ts';
import { playMainJob } from '../demo/main-job.ts';
import { formatMainJob } from '../demo/print-main-job.ts';
import { shopVariables } from '../demo/shop-variables.ts';
import { ensureDemoOwner, signInLine } from '../demo/demo-owner.ts';
import { provision } from '../demo/provision.ts';
import { ensureSecrets } from '../local/deployment-secrets.ts';
import { saslOf } from '../local/server-variables.ts';
import { ensurePasswords } from '../local/service-passwords.ts';
import { defaultRolePrefix, roleName } from '../roles/roles-table.ts';
import { choosePorts, defaultPorts } from '../local/ports.ts';
import { writeEnvFile } from './env-file.ts';

/**
 * The last job of docker-compose.yml: provisions the demo tenants, plays the main job once and
 * prints it, and leaves demo.json on the deployment's volume, with addresses as the host sees them.
 * The demo shop, which starts after it, finds its variables on a volume of its own.
 */
const dir = '/deployment';
const edge = `http://edge:${defaultPorts.edge}`;
const receiver = `http://demo-receiver:${defaultPorts.demoReceiver}`;
const secrets = ensureSecrets(`${dir}/secrets.json`);
const passwords = ensurePasswords(`${dir}/passwords.json`);
const published = await choosePorts(process.env);
const host = (port: number) => `http://127.0.0.1:${port}`;

const shopUrl = `http://localhost:${published.demoShop}`;

const admin = createAdminClient({ baseUrl: edge, token: secrets.operatorToken });
const file = `${dir}/provisioned.json`;
const tenants = await provision({
  admin,
  file,
  webhookKey: secrets.demoWebhookKey,
  receiver: { webhookBaseUrl: receiver, receivedBaseUrl: host(published.demoReceiver) },
  shopUrl,
});
const owner = await ensureDemoOwner({ admin, file, tenantId: tenants[0]?.tenantId ?? '' });
const baseUrl = host(published.edge);
const demo: Demo = {
  environment: 'sandbox',
  baseUrl,
  assetsUrl: baseUrl,
  portalUrl: `${baseUrl}/portal`,
  shopUrl,
  adminToken: secrets.operatorToken,
  owner,
  kafkaBrokers: `127.0.0.1:${published.kafka}`,
  kafkaSasl: saslOf('transfer', passwords),
  postgresUrl: `postgresql://postgres:${secrets.postgresPassword}@127.0.0.1:${published.postgres}/tributary`,
  redisUrl: `redis://${roleName(defaultRolePrefix, 'admin')}:${passwords.redis.admin}@127.0.0.1:${published.redis}`,
  tenants,
};
writeSecretFile(`${dir}/demo.json`, demo);
writeEnvFile('demo-shop', {
  ...shopVariables(demo),
  TRIBUTARY_BASE_URL: edge,
  TRIBUTARY_HOST: '0.0.0.0',
  TRIBUTARY_PORT: defaultPorts.demoShop,
  TRIBUTARY_DEMO_SHOP_FILE: '/data/demo-shop.json',
});

const [tenant] = tenants;
if (tenant === undefined) throw new Error('no demo tenant');
const receivedUrl = `${receiver}/received/${tenant.tenantId}`;
const job = await playMainJob({ baseUrl: edge, tenant, receivedUrl, deadlineMs: 60_000 });
console.log(formatMainJob(job));
console.log(await signInLine(admin, owner));
console.log(`Running at ${baseUrl}; a shop that uses it: ${shopUrl}`);

import { AdminApiError, type AdminClient } from './admin-client.ts';
import { type DemoTenant, readJsonFile, writeSecretFile } from './demo-file.ts';
import {
  campaignOf,
  type DemoTenantPlan,
  demoTenants,
  shopTenant,
  webhookCredentials,
} from './demo-tenants.ts';

/**
 * Sets up the demo tenants through the admin API. Secrets are shown by the API only once, so each
 * is written to `file` the moment it is known; a start that was killed midway goes on from there,
 * and a secret that was lost with it is replaced by a new one. A second start finds everything in
 * the file and asks for nothing, unless the receiver or the shop has moved to another address.
 */
export async function provision(deps: {
  admin: AdminClient;
  file: string;
  webhookKey: string;
  receiver: ReceiverAddresses;
  /** Base URL of the demo shop as a browser has it. */
  shopUrl: string;
}): Promise<DemoTenant[]> {
  const known = readJsonFile<Record<string, Known>>(deps.file) ?? {};
  const tenants: DemoTenant[] = [];
  for (const plan of [...demoTenants, shopTenant(deps.shopUrl)]) {
    const learn = (facts: Known) => {
      known[plan.tenantId] = { ...known[plan.tenantId], ...facts };
      writeSecretFile(deps.file, known);
    };
    const tenant = { ...deps, plan, known: () => known[plan.tenantId] ?? {}, learn };
    tenants.push(await provisionTenant(tenant));
  }
  return tenants;
}

/** The receiver as the dispatcher reaches it, and as a reader on this machine does. */
export type ReceiverAddresses = { webhookBaseUrl: string; receivedBaseUrl: string };

type Known = Partial<{
  product: { productId: string; productSecret: string };
  accessKey: { accessKeyId: string; secretAccessKey: string };
  campaign: { revision: number; landingUrl?: string };
  code: { ucc: string };
  webhookUrl: string;
  domains: readonly string[];
  widget: object;
}>;

type Tenant = {
  admin: AdminClient;
  webhookKey: string;
  receiver: ReceiverAddresses;
  plan: DemoTenantPlan;
  known: () => Known;
  learn: (facts: Known) => void;
};

async function provisionTenant(tenant: Tenant): Promise<DemoTenant> {
  const { plan, receiver } = tenant;
  // In this order: a campaign needs its tenant, a code its campaign.
  const product = await ensureProduct(tenant);
  const accessKey = await ensureAccessKey(tenant);
  await ensureCampaign(tenant);
  const code = await ensureCode(tenant);
  const webhook = await ensureWebhook(tenant);
  await ensureDomains(tenant);
  await ensureWidget(tenant);
  return {
    tenantId: plan.tenantId,
    name: plan.name,
    accessKeyId: accessKey.accessKeyId,
    secretAccessKey: accessKey.secretAccessKey,
    productId: product.productId,
    productSecret: product.productSecret,
    campaignId: plan.campaignId,
    referrer: { productUserId: plan.referrer, ucc: code.ucc },
    webhook: { ...webhook, receivedUrl: `${receiver.receivedBaseUrl}/received/${plan.tenantId}` },
  };
}

async function ensureProduct({ admin, plan, known, learn }: Tenant) {
  const found = known().product;
  if (found !== undefined) return found;
  const { tenantId, name } = plan;
  type Answer = { productId: string; productSecret: string };
  const created = await admin
    .call<Partial<Answer>>('POST', '/api/tenants', { tenantId, name })
    .catch((error: unknown): Partial<Answer> => {
      if (!(error instanceof AdminApiError) || error.status !== 409) throw error;
      return {};
    });
  const { productId, productSecret } =
    created.productSecret === undefined
      ? await admin.call<Answer>('POST', `/api/tenants/${tenantId}/product-secret`, {})
      : (created as Answer);
  const product = { productId, productSecret };
  learn({ product });
  return product;
}

async function ensureAccessKey({ admin, plan, known, learn }: Tenant) {
  const found = known().accessKey;
  if (found !== undefined) return found;
  type Answer = { accessKeyId: string; secretAccessKey: string };
  const path = `/api/tenants/${plan.tenantId}/access-keys`;
  const issued = await admin.call<Answer>('POST', path, {});
  const accessKey = { accessKeyId: issued.accessKeyId, secretAccessKey: issued.secretAccessKey };
  learn({ accessKey });
  return accessKey;
}

async function ensureCampaign({ admin, plan, known, learn }: Tenant) {
  const { landingUrl } = plan;
  const found = known().campaign;
  // An older release did not note the address, and had no tenant whose address moves.
  if (found !== undefined && (found.landingUrl ?? landingUrl) === landingUrl) return;
  const path = `/api/tenants/${plan.tenantId}/campaigns/${plan.campaignId}`;
  const { revision } = await admin.call<{ revision: number }>('PUT', path, campaignOf(plan));
  learn({ campaign: { revision, landingUrl } });
}

async function ensureCode({ admin, plan, known, learn }: Tenant) {
  const found = known().code;
  if (found !== undefined) return found;
  const { tenantId, campaignId, referrer } = plan;
  const body = { productUserId: referrer, campaignId };
  const { ucc } = await admin.call<{ ucc: string }>('POST', `/api/tenants/${tenantId}/codes`, body);
  learn({ code: { ucc } });
  return { ucc };
}

async function ensureWebhook({ admin, plan, webhookKey, receiver, known, learn }: Tenant) {
  const url = `${receiver.webhookBaseUrl}/webhook/${plan.tenantId}`;
  const webhook = { url, ...webhookCredentials(webhookKey, plan.tenantId) };
  if (known().webhookUrl === url) return webhook;
  await admin.call('PUT', `/api/tenants/${plan.tenantId}/webhook`, webhook);
  learn({ webhookUrl: url });
  return webhook;
}

async function ensureDomains({ admin, plan, known, learn }: Tenant) {
  const { tenantId, domains } = plan;
  if (domains.every((domain) => known().domains?.includes(domain))) return;
  for (const domain of domains) {
    await admin.call('POST', `/api/tenants/${tenantId}/domains`, { domain });
  }
  learn({ domains });
}

async function ensureWidget({ admin, plan, known, learn }: Tenant) {
  const { tenantId, widget } = plan;
  if (widget === undefined || known().widget !== undefined) return;
  await admin.call('PUT', `/api/tenants/${tenantId}/widget`, widget);
  learn({ widget });
}

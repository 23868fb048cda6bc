import { randomBytes } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type AdminClient, createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { createTributaryClient, type TributaryClient } from '../../packages/client/src/client.ts';
import { widgetToken } from './widget-token.ts';

/** A customer of the running system with a campaign, registered domains and a referrer, Ada. */
export type Customer = {
  tenantId: string;
  /** Path of the tenant in the admin API. */
  at: string;
  admin: AdminClient;
  client: TributaryClient;
  productId: string;
  productSecret: string;
  secretAccessKey: string;
  campaignId: string;
  referrer: { productUserId: string; ucc: string };
  /** A valid token of one of its users. */
  tokenOf(productUserId: string): string;
};

export type CustomerPlan = {
  landingUrl: string;
  /** As `tributary domain add` takes them. The first must serve pages over http. */
  domains: readonly string[];
  /** Members of the campaign that differ from {@link usualCampaign}. */
  campaign?: Record<string, unknown>;
  /** The body of `PUT /api/tenants/:t/widget`. */
  widget?: Record<string, unknown>;
};

const usualCampaign = {
  name: 'Friends',
  status: 'running',
  creditScale: 2,
  newUserDiscountBasisPoints: 1_000,
  newUserDiscountMonth: 3,
  attributionWindowDays: 30,
  rules: [
    rule('signup', 'signup-created', 'referrer', { kind: 'fixed', credits: '5' }),
    rule('purchase', 'purchase-created', 'referrer', { kind: 'fixed', credits: '20' }),
  ],
};

function rule(ruleId: string, trigger: string, recipient: string, effect: object) {
  return { ruleId, trigger, recipient, effect };
}

/** Resolves when every service knows what was set up. */
export async function createCustomer(demo: Demo, plan: CustomerPlan): Promise<Customer> {
  const tenantId = `page-${randomBytes(4).toString('hex')}`;
  const at = `/api/tenants/${tenantId}`;
  const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
  type Product = { productId: string; productSecret: string };
  const product = await admin.call<Product>('POST', '/api/tenants', { tenantId, name: tenantId });
  const campaignId = 'friends';
  const campaign = { ...usualCampaign, landingUrl: plan.landingUrl, ...plan.campaign };
  await admin.call('PUT', `${at}/campaigns/${campaignId}`, campaign);
  for (const domain of plan.domains) await admin.call('POST', `${at}/domains`, { domain });
  if (plan.widget !== undefined) await admin.call('PUT', `${at}/widget`, plan.widget);
  type Key = { accessKeyId: string; secretAccessKey: string };
  const key = await admin.call<Key>('POST', `${at}/access-keys`, {});
  const productUserId = 'ada';
  const { ucc } = await admin.call<{ ucc: string }>('POST', `${at}/codes`, {
    productUserId,
    campaignId,
  });
  const client = createTributaryClient({
    baseUrl: demo.baseUrl,
    accessKeyId: key.accessKeyId,
    secretAccessKey: key.secretAccessKey,
  });
  await untilKnown(demo, { ucc, client, origin: `http://${plan.domains[0]}` });

  const { productId, productSecret } = product;
  const identity = { tenantId, at, productId, productSecret, campaignId };
  return {
    ...identity,
    admin,
    client,
    secretAccessKey: key.secretAccessKey,
    referrer: { productUserId, ucc },
    tokenOf: (user) => widgetToken(identity, user),
  };
}

/** What the portal publishes takes a moment to reach the others. */
async function untilKnown(
  { assetsUrl }: Demo,
  known: { ucc: string; client: TributaryClient; origin: string },
): Promise<void> {
  const { ucc, client, origin } = known;
  await eventually(
    async () => {
      expect(await client.lookup(ucc)).to.include({ valid: true });
      const asked = `${assetsUrl}/widget/campaign-config?ucc=${encodeURIComponent(ucc)}`;
      const answer = await fetch(asked, { headers: { origin } });
      expect(await answer.json()).to.have.property('campaignConfig');
    },
    // The config route keeps also what it did not find, for 5 s.
    { deadlineMs: 30_000, everyMs: 200 },
  );
}

import { createHmac } from 'node:crypto';

/** The two customers a local system is provisioned with. */
export const demoTenants = [
  {
    tenantId: 'demo-acme',
    name: 'Acme Analytics',
    campaignId: 'launch',
    landingUrl: 'https://acme.example/join',
    referrer: 'acme-user-ada',
    credits: { purchase: '50', signup: '5' },
  },
  {
    tenantId: 'demo-globex',
    name: 'Globex Cloud',
    campaignId: 'friends',
    landingUrl: 'https://globex.example/start',
    referrer: 'globex-user-grace',
    credits: { purchase: '20', signup: '2.50' },
  },
] as const;

export type DemoTenantPlan = (typeof demoTenants)[number];

/** The campaign both provisioning and a reader of the README see. */
export function campaignOf(plan: DemoTenantPlan) {
  return {
    name: `${plan.name} referral programme`,
    status: 'running',
    landingUrl: plan.landingUrl,
    creditScale: 2,
    rules: [
      fixedCredits('purchase', 'purchase-created', plan.credits.purchase),
      fixedCredits('signup', 'signup-created', plan.credits.signup),
    ],
  };
}

function fixedCredits(ruleId: string, trigger: string, credits: string) {
  return { ruleId, trigger, recipient: 'referrer', effect: { kind: 'fixed', credits } };
}

/**
 * Basic credentials of a tenant's webhook, derived from one key of the deployment, so that the
 * demo receiver knows them without being told tenant by tenant.
 */
export function webhookCredentials(key: string, tenantId: string) {
  const password = createHmac('sha256', key).update(tenantId).digest('base64url').slice(0, 32);
  return { username: tenantId, password };
}

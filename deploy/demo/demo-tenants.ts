import { createHmac } from 'node:crypto';

/** What a local system is provisioned with for one customer. */
export type DemoTenantPlan = {
  tenantId: string;
  name: string;
  campaignId: string;
  landingUrl: string;
  /** Who has a code from the start, as the customer names their user. */
  referrer: string;
  /** Beside name, state, address and scale; {@link campaignOf}. */
  campaign: { rules: readonly object[] } & Record<string, unknown>;
  /** Where its public pages are (interface 4.7 rule 6). */
  domains: readonly string[];
  /** How the widget looks and speaks, where it is not as it is by itself. */
  widget?: object;
};

/** Two customers without pages of their own; the third is {@link shopTenant}. */
export const demoTenants = [
  {
    tenantId: 'demo-acme',
    name: 'Acme Analytics',
    campaignId: 'launch',
    landingUrl: 'https://acme.example/join',
    referrer: 'acme-user-ada',
    campaign: fixedCampaign({ purchase: '50', signup: '5' }),
    domains: [],
  },
  {
    tenantId: 'demo-globex',
    name: 'Globex Cloud',
    campaignId: 'friends',
    landingUrl: 'https://globex.example/start',
    referrer: 'globex-user-grace',
    campaign: fixedCampaign({ purchase: '20', signup: '2.50' }),
    domains: [],
  },
] as const satisfies readonly DemoTenantPlan[];

/** What the shop grants to those who come by a link, for their first months. */
export const friendsDiscount = { basisPoints: 1_000, months: 3 };

/** The customer behind the demo shop, whose pages a browser finds below `shopUrl`. */
export function shopTenant(shopUrl: string): DemoTenantPlan {
  const { port } = new URL(shopUrl);
  return {
    tenantId: 'demo-shop',
    name: 'Harbour Tea',
    campaignId: 'friends-of-tea',
    landingUrl: `${shopUrl}/join`,
    referrer: 'harbour-user-ada',
    campaign: {
      attributionWindowDays: 90,
      newUserDiscountBasisPoints: friendsDiscount.basisPoints,
      newUserDiscountMonth: friendsDiscount.months,
      rules: [
        {
          ruleId: 'purchase',
          trigger: 'purchase-created',
          recipient: 'both',
          effect: { kind: 'percent', basisPoints: 2_000, creditsPerMajorUnit: { EUR: '1' } },
          newUserEffect: { kind: 'fixed', credits: '2' },
        },
        fixedCredits('signup', 'signup-created', '5'),
      ],
    },
    widget: {
      theme: {
        light: { accent: '#0f4c44', onAccent: '#ffffff' },
        dark: { accent: '#6cc2b2', onAccent: '#0d1f1c' },
        cornerRadius: 16,
      },
    },
    // Two names of this machine, so that one browser can be two people: cookies are per host.
    domains: [`localhost:${port}`, `127.0.0.1:${port}`],
  };
}

/** The campaign both provisioning and a reader of the README see. */
export function campaignOf(plan: DemoTenantPlan) {
  return {
    name: `${plan.name} referral programme`,
    status: 'running',
    landingUrl: plan.landingUrl,
    creditScale: 2,
    ...plan.campaign,
  };
}

function fixedCampaign(credits: { purchase: string; signup: string }) {
  return {
    rules: [
      fixedCredits('purchase', 'purchase-created', credits.purchase),
      fixedCredits('signup', 'signup-created', credits.signup),
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

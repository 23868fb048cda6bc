import { rulesByCampaign } from '../../bench/pipeline/workload-rules.ts';
import type { AdminClient } from '../demo/admin-client.ts';
import type { Code } from './customers.ts';

const tenantId = 'demo-acme';
const referrersEach = 40;

/**
 * A campaign for each kind of rule, with referrers of their own for what is reported before the
 * upgrade and for what is reported during it: what one recipient earns can change what the
 * same one earned before, by limits and tiers.
 */
export async function setUpCampaigns(
  admin: AdminClient,
): Promise<{ before: Code[]; during: Code[] }> {
  const codes: { before: Code[]; during: Code[] } = { before: [], during: [] };
  for (const [campaignId, rules] of Object.entries(rulesByCampaign)) {
    await admin.call('PUT', `/api/tenants/${tenantId}/campaigns/${campaignId}`, {
      name: campaignId,
      status: 'running',
      landingUrl: 'https://acme.example/join',
      creditScale: 2,
      rules,
    });
    for (const part of ['before', 'during'] as const) {
      const made = Array.from({ length: referrersEach }, async (_, i) => {
        const productUserId = `${part}-${campaignId}-${i}`;
        const path = `/api/tenants/${tenantId}/codes`;
        const { ucc } = await admin.call<Code>('POST', path, { productUserId, campaignId });
        return { tenantId, ucc };
      });
      codes[part].push(...(await Promise.all(made)));
    }
  }
  return codes;
}

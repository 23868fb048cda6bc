import { setTimeout as delay } from 'node:timers/promises';
import { type AdminClient, createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo, DemoTenant } from '../../deploy/demo/demo-file.ts';
import { tokenFor } from '../../test-e2e/calls.ts';
import type { Random } from '../chain/random.ts';
import type { Client } from './client.ts';
import type { Customer } from './history.ts';
import type { Receiver } from './receiver.ts';

export const campaignId = 'matrix';
const referrers = 4;

export function customerOf({ tenantId }: DemoTenant): Customer {
  return {
    tenantId,
    codes: Array.from({ length: referrers }, (_, n) => `mx-${tenantId}-${n + 1}`),
    lateCode: `mx-${tenantId}-late`,
  };
}

/** What it is called at the campaign's owner: the referrer behind a code. */
export function ownerOf({ tenantId }: Customer, ucc: string): string {
  return `mx.${tenantId}.r${ucc.slice(ucc.lastIndexOf('-') + 1)}`;
}

/** A bit of everything that is paid; `basisPoints` change from revision to revision. */
export function campaignWith(basisPoints: number) {
  return {
    name: 'Matrix',
    status: 'running',
    landingUrl: 'https://matrix.example/join',
    creditScale: 2,
    rules: [
      {
        ...{ ruleId: 'share', trigger: 'purchase-created', recipient: 'referrer' },
        effect: {
          ...{ kind: 'percent', basisPoints },
          creditsPerMajorUnit: { EUR: '1', USD: '0.9', JPY: '0.006' },
        },
        limits: { perRecipient: [{ period: 'month', credits: '100000' }] },
      },
      {
        ...{ ruleId: 'welcome', trigger: 'signup-created', recipient: 'both' },
        effect: { kind: 'fixed', credits: '5' },
        newUserEffect: { kind: 'fixed', credits: '2.50' },
      },
      {
        ...{ ruleId: 'demo', trigger: 'demo-attended', recipient: 'referrer' },
        effect: { kind: 'fixed', credits: '1.25' },
      },
      {
        ...{ ruleId: 'loyal', trigger: 'purchase-created', recipient: 'referrer' },
        effect: {
          kind: 'tiered',
          tiers: [
            { fromCount: 1, effect: { kind: 'fixed', credits: '1' } },
            { fromCount: 5, effect: { kind: 'fixed', credits: '3' } },
          ],
        },
        // Ends within what the clocks of the matrix are wrong by.
        ...{ conditions: { intervals: ['yearly'] }, holdDays: 2, refundPolicy: 'full' },
      },
    ],
  };
}

/** Campaigns, codes and endpoints of the customers; resolves when all of it can be used. */
export async function setUpTenants(demo: Demo, receiver: Receiver): Promise<void> {
  const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
  for (const tenant of demo.tenants) {
    const at = `/api/tenants/${tenant.tenantId}`;
    const { username, password } = tenant.webhook;
    const url = receiver.urlOf(tenant.tenantId);
    await admin.call('PUT', `${at}/webhook`, { url, username, password });
    await admin.call('PUT', `${at}/campaigns/${campaignId}`, campaignWith(1_000));
    const customer = customerOf(tenant);
    for (const ucc of customer.codes) await issueCode(admin, customer, ucc);
    const token = await tokenFor(demo, tenant);
    for (const ucc of customer.codes)
      await untilKnown(`${demo.baseUrl}/referral-codes/${ucc}`, token);
  }
}

function issueCode(admin: AdminClient, customer: Customer, ucc: string): Promise<unknown> {
  const body = { productUserId: ownerOf(customer, ucc), campaignId, ucc };
  return admin.call('POST', `/api/tenants/${customer.tenantId}/codes`, body);
}

/** Several times in a row, as each replica has to know it. */
async function untilKnown(url: string, token: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (let inARow = 0; inARow < 3;) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await answer.body?.cancel();
    inARow = answer.status === 200 ? inARow + 1 : 0;
    if (Date.now() > deadline) throw new Error(`${url} is not known after a minute`);
    if (inARow === 0) await delay(100);
  }
}

/**
 * What operators do meanwhile, one thing after the other until `goesOn` says no: new revisions, the
 * late code, a code that is disabled and enabled again, rewards that are held or in review and are
 * released or withheld.
 */
export async function operate(options: {
  client: Client;
  customers: readonly Customer[];
  random: Random;
  goesOn: () => boolean;
}): Promise<void> {
  const { client, customers, random, goesOn } = options;
  const ask = (tenantId: string, method: string, path: string, body?: object) =>
    client.ask({
      ...{ by: 'operator', tenantId, method, path: `/api/tenants/${tenantId}/${path}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  async function settle(tenantId: string, state: 'held' | 'review'): Promise<void> {
    const { outcome, answer = '' } = await ask(tenantId, 'GET', `rewards?state=${state}`);
    if (outcome !== 'ok') return;
    const { rewards } = JSON.parse(answer) as { rewards: { rewardId: string }[] };
    for (const { rewardId } of rewards.slice(0, 2)) {
      const verb = random.happens(0.5) ? 'release' : 'withhold';
      await ask(tenantId, 'POST', `rewards/${rewardId}/${verb}`, { by: 'olga' });
    }
  }

  for (let turn = 0; goesOn(); turn++) {
    const customer = customers[turn % customers.length]!;
    const { tenantId, lateCode, codes } = customer;
    const ucc = codes[codes.length - 1]!;
    switch (Math.floor(turn / customers.length) % 5) {
      case 0:
        await settle(tenantId, 'held');
        await settle(tenantId, 'review');
        break;
      case 1: {
        const body = { productUserId: ownerOf(customer, lateCode), campaignId, ucc: lateCode };
        await ask(tenantId, 'POST', 'codes', body);
        break;
      }
      case 2: {
        const campaign = campaignWith(500 + random.below(1_500));
        await ask(tenantId, 'PUT', `campaigns/${campaignId}`, campaign);
        break;
      }
      case 3:
        await ask(tenantId, 'POST', 'codes/disable', { ucc });
        break;
      default:
        await ask(tenantId, 'POST', 'codes/enable', { ucc });
    }
    await delay(300 + random.below(700));
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createAdminClient } from '../../../deploy/demo/admin-client.ts';
import type { Demo, DemoTenant } from '../../../deploy/demo/demo-file.ts';
import { widgetToken } from '../../../test-e2e/browser/widget-token.ts';
import type { Client } from '../client.ts';
import type { SentRequest } from '../evidence.ts';
import type { Reporter, SourceSetUp } from './source.ts';
import { type Boot, createVisits, type Invite } from './visits.ts';

const everyMs = 250;
/** Visits that begin at once. */
const burst = 4;
/** What tells that the settings below are in force; no text of the widget has this key. */
const mark = { en: { matrix: 'yes' } };

/**
 * Users of every customer boot the widget; who came by a link and is reported by nobody else has
 * signed up.
 */
export async function setUpWidget({
  demo,
  customers,
  personalCanary,
}: SourceSetUp): Promise<Reporter> {
  const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
  for (const tenant of demo.tenants) {
    await admin.call('PUT', `/api/tenants/${tenant.tenantId}/widget`, {
      ...{ recoverSignups: true, texts: mark },
      // So that no answer has a whole name of anybody.
      ...{ referrerName: 'initial', referredUserName: 'initial' },
    });
  }
  for (const tenant of demo.tenants) await untilInForce(demo, tenant);
  return {
    secrets: [beginningOfTokens(demo)],

    async report({ client, random, goesOn }) {
      const invites: Invite[] = [];
      const nowMs = Date.now();
      const visits = createVisits({ random, customers, nowMs, personalCanary, invites });
      const boot = createBooter(demo, client, invites);
      const sent: Promise<unknown>[] = [];
      while (goesOn()) {
        for (let n = 0; n < burst; n++) {
          const visit = visits.next();
          const once = () => ('boot' in visit ? boot(visit.boot) : client.submit(visit.submission));
          sent.push(random.happens(0.7) ? client.untilKnown(once, goesOn) : once());
        }
        await delay(everyMs);
      }
      await Promise.all(sent);
    },
  };
}

/** Every token of a widget begins so, and no other that there is here. */
function beginningOfTokens({ tenants }: Demo): string {
  const [header] = widgetToken(tenants[0]!, 'anybody').split('.');
  return `${header}.`;
}

function createBooter(demo: Demo, client: Client, invites: Invite[]) {
  const byId = new Map(demo.tenants.map((tenant) => [tenant.tenantId, tenant]));
  return async (boot: Boot): Promise<SentRequest> => {
    const { tenantId, userId, isForged } = boot;
    const { productId, productSecret } = byId.get(tenantId)!;
    const other = demo.tenants.find((tenant) => tenant.tenantId !== tenantId)!;
    const signedBy = isForged ? other.productSecret : productSecret;
    const request = await client.ask({
      ...{ by: 'user', tenantId, method: 'POST', path: '/widget/session' },
      headers: { origin: 'https://app.matrix.example' },
      body: bodyOf(widgetToken({ productId, productSecret: signedBy }, userId), boot),
      proof: isForged ? 'wrong' : 'right',
    });
    const ucc = inviteIn(request);
    if (ucc !== undefined) invites.push({ tenantId, userId, ucc });
    return request;
  };
}

function bodyOf(token: string, { details, click }: Pick<Boot, 'details' | 'click'>): string {
  return JSON.stringify({ token, productUserDetails: details, ...(click && { click }) });
}

/** Those of an operator's choice may be disabled. */
function inviteIn({ outcome, answer = '{}' }: SentRequest): string | undefined {
  if (outcome !== 'ok') return undefined;
  const { invite } = JSON.parse(answer) as { invite: { ucc: string } | null };
  return invite === null || invite.ucc.startsWith('mx-') ? undefined : invite.ucc;
}

async function untilInForce({ baseUrl }: Demo, tenant: DemoTenant): Promise<void> {
  await eventually(
    async () => {
      const answer = await fetch(`${baseUrl}/widget/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: bodyOf(widgetToken(tenant, 'somebody-before'), { details: {} }),
      });
      const { texts } = (await answer.json()) as { texts?: object };
      expect(texts, `of ${tenant.tenantId}`).to.deep.equal(mark);
    },
    // A user may boot twice a second.
    { deadlineMs: 30_000, everyMs: 500 },
  );
}

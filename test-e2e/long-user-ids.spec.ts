import { createHmac, randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { createAdminClient } from '../deploy/demo/admin-client.ts';
import { widgetToken } from './browser/widget-token.ts';
import { call, purchase, receivedBy, tokenFor } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';

type Session = { productUserId: string; invite: { ucc: string; link: string } | null };
type Tenant = Pick<DemoTenant, 'productId' | 'productSecret'>;

/** Ids have 1 to 255 characters (interface 8), whichever they are and however they are written. */
const ways: Record<string, (tenant: Tenant, user: string) => string> = {
  'as it is': (tenant, user) => widgetToken(tenant, user),
  'escaped, as JWT libraries of some languages write it': escapedToken,
};
const ids: Record<string, (filler: string) => string> = {
  emoji: (filler) => `${'🦊'.repeat(250)}${filler}`,
  'control characters': (filler) => `${'\u0001'.repeat(250)}${filler}`,
};

describe('a user id of 255 characters in a widget token', function () {
  this.timeout(180_000);
  let demo: Demo;
  let tenant: DemoTenant;
  let token: string;
  before(async () => {
    demo = await sharedDemo();
    tenant = demo.tenants[1]!;
    token = await tokenFor(demo, tenant);
  });

  for (const [what, idOf] of Object.entries(ids)) {
    for (const [how, sign] of Object.entries(ways)) {
      it(`of ${what}, ${how}: session, code, link, reward and webhook`, async () => {
        const referrer = idOf(randomUUID().slice(0, 5));
        const opened = await call(`${demo.assetsUrl}/widget/session`, {
          method: 'POST',
          body: { token: sign(tenant, referrer), productUserDetails: details },
        });
        expect(opened.status, JSON.stringify(opened.body)).to.equal(200);
        const { productUserId, invite } = opened.body as Session;
        expect(productUserId).to.equal(referrer);
        const { ucc, link } = invite!;
        expect(link).to.contain(`ucc=${ucc}`);

        await eventually(async () => {
          const found = await call(`${demo.baseUrl}/referral-codes/${ucc}`, { token });
          expect(found.body).to.include({ valid: true, productUserId: referrer });
        });
        const path = `/referral-codes/active-link/${encodeURIComponent(referrer)}`;
        const active = await call(`${demo.baseUrl}${path}`, { token });
        expect(active.body).to.deep.equal({ activeUcc: ucc, link });

        // The friend's id, and the invoice's, are as long.
        const newUser = { id: idOf(randomUUID().slice(0, 5)) };
        const invoiceId = idOf(randomUUID().slice(0, 5));
        const body = purchase(tenant, invoiceId, { ucc, newUser });
        const url = `${demo.baseUrl}/v2/events/purchase-created`;
        const paid = await call(url, { method: 'POST', token, body });
        expect(paid.status, JSON.stringify(paid.body)).to.equal(202);
        await eventually(
          async () => {
            const rewarded = (await receivedBy(tenant)).map(({ body: sent }) => sent.data);
            const theirs = rewarded.filter((reward) => reward.productUserId === referrer);
            expect(theirs.map(({ reward }) => reward.amount)).to.deep.equal([20]);
          },
          { deadlineMs: 30_000 },
        );
        await eventually(async () => expect(await issuedTo(referrer)).to.equal('20'));
      });
    }
  }

  async function issuedTo(referrer: string): Promise<string> {
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    const recipient = encodeURIComponent(referrer);
    const path = `/api/tenants/${tenant.tenantId}/recipients/${recipient}/balance`;
    return (await admin.call<{ issued: string }>('GET', path)).issued;
  }
});

const long = '🦊'.repeat(255);
const details = { firstName: long, lastName: long, fullName: long, email: 'fox@example.com' };

/** Every character that is not ASCII as `\uXXXX`, as Python's and PHP's encoders do by default. */
function escapedToken({ productId, productSecret }: Tenant, productUserId: string): string {
  const header = { alg: 'HS512', typ: 'JWT' };
  const claims = { productId, productUserId, iat: Math.floor(Date.now() / 1_000) };
  const signed = [header, claims].map((part) => base64url(escaped(part))).join('.');
  return `${signed}.${createHmac('sha512', productSecret).update(signed).digest('base64url')}`;
}

function escaped(value: object): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

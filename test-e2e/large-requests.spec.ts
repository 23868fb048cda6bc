import { randomBytes, randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { type Answer, call, purchase, receivedBy, tokenFor } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';
import { createAdminClient } from '../deploy/demo/admin-client.ts';

type OwnCode = { productUserId: string; ucc: string };

/** No tenant's load, however lumpy, may cost another tenant a request (design 5). */
describe('twenty requests of 60 KiB for one partition at once', () => {
  const large = 20;
  const small = 100;
  let demo: Demo;
  let loud: DemoTenant;
  let quiet: DemoTenant;
  let loudToken: string;
  let quietToken: string;
  /** Codes belong to users of their own, so that nothing else is counted. */
  let loudCode: OwnCode;
  let quietCode: OwnCode;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    [loud, quiet] = demo.tenants as [DemoTenant, DemoTenant];
    [loudCode, quietCode] = [await codeIn(loud), await codeIn(quiet)];
    loudToken = await tokenFor(demo, loud);
    quietToken = await tokenFor(demo, quiet);
  });

  async function codeIn({ tenantId }: DemoTenant): Promise<OwnCode> {
    const productUserId = randomUUID();
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    const path = `/api/tenants/${tenantId}/codes`;
    return {
      productUserId,
      ...(await admin.call<{ ucc: string }>('POST', path, { productUserId })),
    };
  }

  /** Rewards by the code that the receiver was told of, each once. */
  async function countRewards(tenant: DemoTenant, { productUserId }: OwnCode): Promise<number> {
    const deliveries = (await receivedBy(tenant)).filter(
      ({ body }) => body.data.productUserId === productUserId,
    );
    return new Set(deliveries.map(({ body }) => body.eventId)).size;
  }

  const buy = (token: string, body: object) =>
    call(`${demo.baseUrl}/v2/events/purchase-created`, { method: 'POST', token, body });

  /** One user, so one partition; a fraction of digits that do not compress makes it large. */
  function largePurchase(userId: string): object {
    const digits = BigInt(`0x1${randomBytes(26_000).toString('hex')}`)
      .toString()
      .slice(0, 61_000);
    const body = purchase(loud, randomUUID(), {
      ucc: loudCode.ucc,
      newUser: { id: userId },
      occurredAt: `2026-01-01T00:00:00.${digits}Z`,
    });
    expect(JSON.stringify(body).length).to.be.within(60 * 1024 - 300, 60 * 1024 + 300);
    return body;
  }

  it('refuses nobody, and rewards every purchase of both tenants', async () => {
    const userId = randomUUID();
    const largeBodies = Array.from({ length: large }, () => largePurchase(userId));
    const answers: Promise<Answer>[] = [];
    for (let i = 0; i < small; i++) {
      if (i === small / 4) answers.push(...largeBodies.map((body) => buy(loudToken, body)));
      const answer = buy(quietToken, purchase(quiet, randomUUID(), { ucc: quietCode.ucc }));
      answers.push(answer);
      // One after another, so that they flow before, while and after the large ones are answered.
      await answer;
    }
    const statuses = (await Promise.all(answers)).map((answer) => answer.status);
    expect(statuses.filter((status) => status !== 202)).to.deep.equal([]);
    await eventually(
      async () => {
        expect(await countRewards(loud, loudCode)).to.equal(large);
        expect(await countRewards(quiet, quietCode)).to.equal(small);
      },
      { deadlineMs: 30_000, everyMs: 200 },
    );
  });
});

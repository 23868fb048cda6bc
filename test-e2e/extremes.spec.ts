import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { call, purchase, receivedBy, tokenFor } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';

/** What is valid but extreme must pass every consumer and every table on its way. */
const extremes: Record<string, object> = {
  'the year 0000': { occurredAt: '0000-01-01T00:00:00Z' },
  'a leap second': { occurredAt: '2016-12-31T23:59:60Z' },
  'the year 9999 and an offset of -23:59': { occurredAt: '9999-12-31T23:59:59.999-23:59' },
  'a fraction of 40,000 digits': { occurredAt: `2026-01-01T00:00:00.${'7'.repeat(40_000)}Z` },
  'the largest amount': { amount: 9007199254740991 },
  'an amount of 0': { amount: 0 },
  'ids of 255 control characters': {
    newUser: { id: '\u0001'.repeat(255) },
    invoiceId: '\u0002'.repeat(255),
  },
  'ids of 255 emoji': { newUser: { id: '🦊'.repeat(255) }, invoiceId: '🦉'.repeat(255) },
  'more seats than a double holds': {
    subscription: { interval: 'yearly', seatsUsed: '@seats@' },
  },
};

describe('extreme but valid purchases', () => {
  let demo: Demo;
  let tenant: DemoTenant;
  let token: string;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    tenant = demo.tenants[1]!;
    token = await tokenFor(demo, tenant);
  });

  for (const [what, more] of Object.entries(extremes)) {
    it(`accepts ${what}, attributes it and rewards it`, async () => {
      const before = (await receivedBy(tenant)).length;
      const body = JSON.stringify(purchase(tenant, randomUUID(), more));
      const answer = await call(`${demo.baseUrl}/v2/events/purchase-created`, {
        method: 'POST',
        token,
        body: body.replace('"@seats@"', '9'.repeat(400)),
      });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
      await eventually(
        async () => {
          const after = (await receivedBy(tenant)).slice(before);
          expect(new Set(after.map((one) => one.body.eventId)).size).to.equal(1);
        },
        { deadlineMs: 15_000 },
      );
    });
  }
});

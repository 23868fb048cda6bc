import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { DemoTenant } from '../../deploy/demo/demo-file.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { call, purchase, tokenFor } from '../../test-e2e/calls.ts';
import { sharedStack } from '../../test-e2e/shared-stack.ts';
import { currentDecision, decidedTwice, readDecisions } from '../decided-once.ts';

/** What the public HTTP does not show yet: the decision on the log. */
describe('the same invoice sent twice without a key', function () {
  this.timeout(120_000);
  let stack: Stack;

  before(async () => {
    stack = await sharedStack();
  });

  it('is two events: the first attributed, the second decided as its duplicate', async () => {
    const tenant = stack.demo.tenants[0] as DemoTenant;
    const token = await tokenFor(stack.demo, tenant);
    const body = purchase(tenant, randomUUID());
    const buy = async () => {
      const url = `${stack.demo.baseUrl}/v2/events/purchase-created`;
      const answer = await call(url, { method: 'POST', token, body });
      expect(answer.status).to.equal(202);
      return (answer.body as { eventId: string }).eventId;
    };
    const [first, second] = [await buy(), await buy()];
    expect(second).to.not.equal(first);

    await eventually(
      async () => {
        const log = await readDecisions(stack.demo);
        expect(currentDecision(log, first)).to.include({ outcome: 'attributed' });
        expect(currentDecision(log, second)).to.include({
          outcome: 'not-attributed',
          reason: 'duplicate',
          duplicateOf: first,
        });
        expect(decidedTwice(log)).to.deep.equal([]);
      },
      { deadlineMs: 20_000 },
    );
  });
});

import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import {
  attemptOf,
  decisionOn,
  issuanceOf,
  onLog,
  purchase,
  resendOf,
  rewardFor,
} from '../../testing/scenario.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';

const dayMs = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

describe('portal: attempts of webhooks that were delivered long ago', () => {
  const bought = purchase(1, { invoiceId: 'inv-1' });
  const decision = decisionOn(bought);
  const reward = rewardFor(decision);
  const issuances = [
    ...['delivered long ago', 'delivered lately', 'given up'],
    'delivered long ago, then sent again and given up',
  ].map((_, n) => issuanceOf(reward, n + 1));
  let portal: TestPortal;

  before(async () => {
    portal = await startTestPortal({ deliveryDays: 2 });
    await portal.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
    const [old, young, givenUp, again] = issuances as [Issuance, Issuance, Issuance, Issuance];
    const failed = { outcome: 'failed', result: 'timeout' } as const;
    await portal.publish([
      onLog.event(bought),
      onLog.decision(decision),
      onLog.reward(reward),
      ...issuances.map(onLog.issuance),
      ...[
        attemptOf(old, 1, { ...failed, startedAt: ago(5) }),
        attemptOf(old, 2, { ...failed, startedAt: ago(4) }),
        attemptOf(old, 3, { startedAt: ago(3) }),
        attemptOf(young, 1, { ...failed, startedAt: ago(5) }),
        attemptOf(young, 2, { startedAt: ago(1) }),
        attemptOf(givenUp, 1, { ...failed, startedAt: ago(9) }),
        attemptOf(givenUp, 2, { ...failed, outcome: 'exhausted', startedAt: ago(8) }),
        attemptOf(again, 1, { ...failed, startedAt: ago(9) }),
        attemptOf(again, 2, { startedAt: ago(8) }),
        { ...resendOf(again, 1, 2), at: ago(7) },
        attemptOf(again, 3, { ...failed, round: 1, step: 1, startedAt: ago(7) }),
        attemptOf(again, 4, { ...failed, round: 1, outcome: 'exhausted', startedAt: ago(6) }),
      ].map(onLog.delivery),
    ]);
  });
  after(() => portal.stop());

  it('go but for the one that delivered it; what was not delivered, or lately, keeps all', async () => {
    const kept = [[3], [1, 2], [1, 2], [2, 3, 4]];
    await eventually(async () => expect(await attempts()).to.deep.equal(kept), {
      deadlineMs: 30_000,
    });
    const { body } = await portal.call('GET', `/api/explain?event=${bought.eventId}`);
    expect(body['text']).to.contain('delivered on attempt 3 at');
    expect(body['text']).to.contain('delivered on attempt 2 at');
    expect(body['text']).to.contain('given up after attempt 2');
    await eventually(async () => {
      const metrics = await (await fetch(`${portal.adminUrl}/metrics`)).text();
      expect(metrics).to.match(/tributary_read_model_attempts_deleted_total\{[^}]*\} 3\n/);
    });
  });

  type Issuance = ReturnType<typeof issuanceOf>;

  async function attempts(): Promise<number[][]> {
    const { body } = await portal.call('GET', `/api/explain?event=${bought.eventId}`);
    const stories = body['stories'] as {
      rewards: { issuances: { issuance: Issuance; deliveries: DeliveryFact[] }[] }[];
    }[];
    const found = stories[0]!.rewards[0]!.issuances;
    return issuances.map(({ issuanceId }) =>
      found
        .find(({ issuance }) => issuance.issuanceId === issuanceId)!
        .deliveries.flatMap((fact) => (fact.type === 'attempted' ? [fact.attempt] : [])),
    );
  }
});

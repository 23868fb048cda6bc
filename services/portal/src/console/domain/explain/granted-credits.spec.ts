import { expect } from 'chai';
import { decisionOn, purchase, rewardFor } from '../../../testing/scenario.ts';
import { grantedCredits } from './granted-credits.ts';

describe('grantedCredits', () => {
  const decision = decisionOn(purchase(1));
  const effect = { step: 'effect', detail: '', credits: '10' } as const;
  const limit = { step: 'limit', detail: '', credits: '8' } as const;
  const refund = { step: 'refund', detail: '', credits: '4' } as const;
  const withdrawal = { step: 'withdrawal', detail: '', credits: '0' } as const;

  for (const [name, calculation, entitledCredits, expected] of [
    ['all of it when nothing was taken', [effect, limit], '8', '8'],
    ['what there was before the first refund', [effect, limit, refund, refund], '2', '8'],
    ['what there was before a withdrawal', [effect, withdrawal], '0', '10'],
    ['nothing when only a withdrawal is known', [withdrawal], '0', '0'],
    ['what is entitled when no step is known (records of version 1)', [], '2.50', '2.50'],
  ] as const) {
    it(`is ${name}`, () => {
      const reward = rewardFor(decision, { calculation: [...calculation], entitledCredits });
      expect(grantedCredits(reward)).to.equal(expected);
    });
  }
});

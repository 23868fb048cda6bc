import { expect } from 'chai';
import type { CalculationStep } from './reward-record.ts';
import { keptBackAs, shownState, type ShownState } from './reward-state.ts';

describe('how a reward stands', () => {
  const step = (name: CalculationStep['step'], credits: string): CalculationStep => ({
    ...{ step: name, detail: '', credits },
  });
  const effect = step('effect', '10');
  const noRoom = step('limit', '0');

  for (const [what, calculation, expected] of [
    ['that a limit left no room for', [effect, noRoom], 'capped'],
    [
      'that a limit left no room for, before a refund',
      [effect, noRoom, step('refund', '0')],
      'capped',
    ],
    [
      'that was withdrawn after a limit had left no room for it',
      [effect, noRoom, step('withdrawal', '0')],
      'reversed',
    ],
    ['that a limit cut, before a refund', [step('limit', '4'), step('refund', '0')], 'reversed'],
    ['that was withdrawn', [effect, step('withdrawal', '0')], 'reversed'],
    ['of the first release, which has no steps', [], 'reversed'],
  ] as const) {
    it(`a reward ${what} is shown as ${expected}`, () => {
      expect(shownState({ state: 'reversed', calculation })).to.equal(expected);
    });
  }

  it('only a reversed reward may be capped', () => {
    for (const state of ['held', 'review', 'issued', 'withheld'] as const) {
      expect(shownState({ state, calculation: [noRoom] })).to.equal(state);
    }
  });

  it('an unsettled reward is kept back as its state, and a settled one by a review of its growth', () => {
    const rows: [ShownState, unknown[], 'released' | 'withheld' | undefined, string | undefined][] =
      [
        ['held', [], undefined, 'held'],
        ['held', [], 'released', 'held'],
        ['review', ['loop'], undefined, 'review'],
        ['withheld', ['loop'], 'withheld', 'withheld'],
        ['issued', [], undefined, undefined],
        ['issued', ['late'], undefined, 'review'],
        ['issued', ['late'], 'released', undefined],
        ['issued', ['late'], 'withheld', 'withheld'],
        ['reversed', ['late'], undefined, undefined],
        ['capped', ['late'], undefined, undefined],
      ];
    for (const [state, reviews, action, expected] of rows) {
      expect(keptBackAs({ state, reviews, action }), `${state} ${action}`).to.equal(expected);
    }
  });
});

import { Type } from '@sinclair/typebox';
import { RewardRecord } from '../reward-record.ts';
import { decimal, named, oneOfTexts } from './answer-fields.ts';

/** `capped` is one that a limit left no room for: see reward-state.ts. */
export const ShownState = oneOfTexts('held', 'review', 'issued', 'withheld', 'reversed', 'capped');

export const ShownReward = named(
  'Reward',
  Type.Object({ ...RewardRecord.properties, state: ShownState }),
);

/** What of a reward is entitled and not issued, or the other way round. */
export const OpenPart = Type.Object({
  as: oneOfTexts('held', 'review', 'withheld', 'offset', 'correction', 'excess'),
  credits: decimal,
});

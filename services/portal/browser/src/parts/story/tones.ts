import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import type { Tone } from '../state-badge.tsx';

export type Outcome = AnswerOf<'listEvents'>['events'][number]['outcome'];
export type RewardState = AnswerOf<'listRewards'>['rewards'][number]['state'];

export const outcomeTones: Readonly<Record<Outcome, Tone>> = {
  attributed: 'good',
  'not-attributed': 'quiet',
  waiting: 'waiting',
  undecided: 'bad',
  pending: 'waiting',
};

export const rewardTones: Readonly<Record<RewardState, Tone>> = {
  held: 'waiting',
  review: 'waiting',
  issued: 'good',
  withheld: 'bad',
  reversed: 'quiet',
  capped: 'quiet',
};

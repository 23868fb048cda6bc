import type { Tone } from '../../parts/state-badge.tsx';

export const toneOf: Record<
  'held' | 'review' | 'issued' | 'withheld' | 'reversed' | 'capped',
  Tone
> = {
  held: 'waiting',
  review: 'waiting',
  issued: 'good',
  withheld: 'bad',
  reversed: 'bad',
  capped: 'quiet',
};

import type { Pace } from '../stripe/pace.ts';

/** Every request goes at once. */
export const unpaced: Pace = {
  wait: () => Promise.resolve(undefined),
  limited: () => undefined,
};

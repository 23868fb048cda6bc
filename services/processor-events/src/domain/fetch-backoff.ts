const secondMs = 1_000;
const hourMs = 3_600 * secondMs;

/**
 * How long a connection rests after so many failures in a row before this one; at most 10 minutes.
 */
export function connectionRestMs(failures: number, random: number): number {
  return jittered(Math.min(secondMs * 2 ** Math.min(failures, 20), hourMs / 6), random);
}

/**
 * How long one question rests after so many without an answer before this one; at most an hour.
 * Longer than its connection does, so that one that always fails leaves room for the others.
 */
export function questionRestMs(attempts: number, random: number): number {
  return jittered(Math.min(5 * secondMs * 2 ** Math.min(attempts, 20), hourMs), random);
}

/**
 * How long a question rests whose answer could not be kept, after so many without one before this;
 * at most a minute, as it is not Stripe's fault.
 */
export function keepingRestMs(attempts: number, random: number): number {
  return jittered(Math.min(2 * secondMs * 2 ** Math.min(attempts, 20), 60 * secondMs), random);
}

/** 80 to 120 %, so that those that failed together do not come back together. */
function jittered(ms: number, random: number): number {
  return Math.round(ms * (0.8 + 0.4 * random));
}

/** The present moment as an argument, so that what depends on it can be tested. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

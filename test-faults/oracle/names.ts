// Few of each, so that things meet.

export const people = ['u1', 'u2', 'u3', 'u4'];
export const invoices = ['inv1', 'inv2', 'inv3', 'inv4', 'inv5'];
export const campaignIds = ['c1', 'c2'];
export const derivedCodes = ['AAAAAAAAAA1', 'BBBBBBBBBB2', 'CCCCCCCCCC3'];
export const customCodes = ['CUSTOM', 'A-CODE'];
export const currencies = ['EUR', 'JPY', 'KWD', 'CLF'] as const;

/**
 * Small worlds in which things meet: a handful of people who refer each other, of invoices, of
 * moments. Moments lie on and just beside the borders that rules draw (a day, 30 days, the end of a
 * month), so that ties and borders come up in most worlds and not once in a million.
 */
export type Flavour = {
  /** Codes that are unknown, disabled, late; existing users, loops, windows, modes. */
  attribution: 'plain' | 'tricky';
  rules: 'plain' | 'tricky';
  events: number;
};

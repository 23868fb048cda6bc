/** Sessions as the widget service answers them, for what a real one does not come to in a test. */

const days = ['21', '19', '16', '12', '09', '08', '04', '02', '01'];
const latest: [name: string | null, state: string][] = [
  ['Grace', 'purchased'],
  ['Alan', 'signed-up'],
  ['Katherine', 'purchased'],
  [null, 'demo-attended'],
  ['Barbara', 'purchased'],
  ['Edsger', 'refunded'],
  ['Margaret', 'signed-up'],
  ['Tim', 'signed-up'],
  ['Radia', 'purchased'],
];

/** Somebody who has referred nine people. */
export const busySession = {
  productUserId: 'ada',
  invite: {
    ucc: 'K7QXM2PA',
    link: 'https://harbour-tea.example/join?ucc=K7QXM2PA&productId=harbour-tea',
    campaignId: 'friends-of-tea',
  },
  rules: [
    {
      ruleId: 'signup',
      trigger: 'signup-created',
      recipient: 'referrer',
      reward: { kind: 'fixed', credits: '5' },
      holdDays: 0,
    },
    {
      ruleId: 'purchase',
      trigger: 'purchase-created',
      recipient: 'referrer',
      reward: { kind: 'percent', percent: '20', creditsPerMajorUnit: { EUR: '1' } },
      firstPurchases: 3,
      holdDays: 14,
    },
  ],
  newUserDiscount: { percentage: 0.1, months: 3 },
  credits: { earned: '148.2', held: '12.5', toOffset: '0', issued: '148.2' },
  referrals: {
    total: 9,
    byState: { 'signed-up': 3, 'demo-attended': 1, purchased: 4, refunded: 1 },
    latest: latest.map(([name, state], index) => ({
      name,
      state,
      at: `2026-11-${days[index]}T09:00:00.000Z`,
    })),
  },
  theme: {},
  texts: {},
};

export const newSession = {
  ...busySession,
  credits: { earned: '0', held: '0', toOffset: '0', issued: '0' },
  referrals: {
    total: 0,
    byState: { 'signed-up': 0, 'demo-attended': 0, purchased: 0, refunded: 0 },
    latest: [],
  },
};

/** After a refund of what had been paid out. */
export const refundedSession = {
  ...busySession,
  credits: { earned: '5', held: '12.5', toOffset: '2.52', issued: '7.52' },
};

/** No campaign runs any more. */
export const pausedSession = {
  ...busySession,
  invite: null,
  rules: [],
  newUserDiscount: null,
};

/** As the problem of a token that is no good. */
export const unauthorizedProblem = {
  type: 'about:blank',
  title: 'Unauthorized',
  status: 401,
  detail: 'This user is not authorized to load the referral widget.',
  code: 'UNAUTHORIZED',
};

import type { Report, VerifyResult } from '@tributary/contracts/admin/replay-results';
import type { Job } from '../replay/job.ts';

export const jobId = '019a7c1e-0000-7000-8000-000000000001';

export function jobOf(change: Partial<Job> = {}): Job {
  return {
    jobId,
    kind: 'verify',
    params: {},
    by: 'operator',
    status: 'running',
    attempts: 1,
    createdAt: '2026-03-01T12:00:00.000Z',
    history: [{ at: '2026-03-01T12:00:00.000Z', line: 'asked for by operator' }],
    ...change,
  };
}

const set = (count: number, digit: string) => ({ count, hash: digit.repeat(64) });

export const identical: VerifyResult = {
  outcome: 'identical',
  generation: 1,
  positions: {},
  events: 1_200,
  broken: 0,
  frozenMs: 3,
  tenants: [
    {
      tenantId: 'acme',
      identical: true,
      decisions: set(1_200, 'a'),
      rewards: set(300, 'b'),
      recipients: set(40, 'c'),
    },
  ],
  differences: { count: 0, shown: [] },
};

export const different: VerifyResult = {
  ...identical,
  outcome: 'different',
  tenants: identical.tenants.map((tenant) => ({
    ...tenant,
    identical: false,
    replayed: { ...tenant, rewards: set(301, 'd') },
  })),
  differences: {
    count: 7,
    shown: [
      {
        kind: 'reward',
        tenantId: 'acme',
        id: 'r-1',
        live: { entitled: '11', state: 'held' },
        replayed: { entitled: '10', state: 'held' },
        fields: ['entitled'],
        changedSince: true,
        liveExplanation: ['Somebody gave \u001b[2J11 credits.'],
        replayedExplanation: ['Rule "share" gives 10 credits.'],
      },
      {
        kind: 'decision',
        tenantId: 'acme',
        id: 'e-1',
        live: null,
        replayed: { outcome: 'attributed' },
        fields: [],
        liveExplanation: [],
        replayedExplanation: ['The code is known.'],
      },
    ],
  },
};

const counts = { unchanged: 5, new: 2, withdrawn: 1, changed: 0, toReview: 2 };

export const report: Report = {
  previewId: jobId,
  tenantId: 'acme',
  campaignId: 'spring',
  draftRevision: 2,
  generation: 1,
  positions: {},
  facts: 1_200,
  tenants: [],
  counts,
  credits: {
    before: '1000.5',
    after: '1020.5',
    new: '30',
    withdrawn: '10',
    increased: '0',
    decreased: '0',
  },
  byRule: [
    {
      campaignId: 'spring',
      ruleId: 'share',
      role: 'referrer',
      counts,
      before: '1000.5',
      after: '1020.5',
    },
  ],
  byReferrer: [{ tenantId: 'acme', recipientId: 'ada', before: '10', after: '30' }],
  referrers: 1,
  byMonth: [{ month: '2026-02', counts, before: '1000.5', after: '1020.5' }],
  largest: [
    {
      rewardId: 'r-1',
      kind: 'new',
      tenantId: 'acme',
      recipientId: 'ada',
      campaignId: 'spring',
      ruleId: 'share',
      month: '2026-02',
      before: '0',
      after: '20',
      explanationBefore: [],
      explanationAfter: ['Rule "share" gives 20 credits.'],
    },
  ],
};

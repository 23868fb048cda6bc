import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import { catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { eventSchemaVersion, type EventRecord } from '@tributary/contracts/event-record';
import { always } from '@tributary/contracts/revision-in-force';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { expect } from 'chai';
import { expectedDecisions } from './decisions.ts';
import { asDecimal } from './rational.ts';
import { expectedRewards } from './rewards.ts';
import type { World } from './world.ts';

// The oracle itself on worlds that one can do in the head.

describe('the oracle', () => {
  it('gives freed room to later facts only', () => {
    const rule = fixedRule('6', { perRecipient: [{ period: 'lifetime', credits: '10' }] });
    const world = worldOf(rule, [
      purchase(1, '2026-02-01', 'anna', 'i1'),
      purchase(2, '2026-02-02', 'bert', 'i2'),
      refund(3, '2026-02-03', 'anna', 'i1', 100),
      purchase(4, '2026-02-04', 'carl', 'i3'),
    ]);
    expect(creditsByEvent(world)).to.deep.equal({ e1: '0', e2: '4', e4: '6' });
  });

  it('gives nothing back before the purchase that a back-dated refund is of', () => {
    const rule = fixedRule('6', { perRecipient: [{ period: 'lifetime', credits: '10' }] });
    const world = worldOf(rule, [
      refund(1, '2026-01-01', 'anna', 'i1', 100),
      purchase(2, '2026-02-01', 'anna', 'i1'),
      purchase(3, '2026-02-02', 'bert', 'i2'),
    ]);
    expect(creditsByEvent(world)).to.deep.equal({ e2: '0', e3: '6' });
  });

  it('takes back the larger of what two sides report, and no more than was paid', () => {
    const world = worldOf(fixedRule('10', {}), [
      purchase(1, '2026-02-01', 'anna', 'i1'),
      refund(2, '2026-02-02', 'anna', 'i1', 30),
      refund(3, '2026-02-03', 'anna', 'i1', 50, 'processor'),
      refund(4, '2026-02-04', 'anna', 'i1', 20),
    ]);
    expect(expectedDecisions(world).get('e1')?.reversals).to.deep.equal([
      { eventId: 'e2', reversedAmount: 30n, full: false },
      { eventId: 'e3', reversedAmount: 50n, full: false },
    ]);
    expect(creditsByEvent(world)).to.deep.equal({ e1: '5' });
  });

  it('counts the users of a tier by the purchases that stand', () => {
    const fixed = (credits: string) => ({ kind: 'fixed' as const, credits });
    const effect = {
      kind: 'tiered' as const,
      tiers: [
        { fromCount: 1, effect: fixed('1') },
        { fromCount: 2, effect: fixed('2') },
      ],
    };
    const world = worldOf({ ...fixedRule('1', {}), effect }, [
      purchase(1, '2026-02-01', 'anna', 'i1'),
      purchase(2, '2026-02-02', 'bert', 'i2'),
      purchase(3, '2026-02-03', 'carl', 'i3'),
      refund(4, '2026-03-01', 'anna', 'i1', 100),
    ]);
    expect(creditsByEvent(world)).to.deep.equal({ e1: '0', e2: '1', e3: '2' });
  });

  it('lets the direction stand in which two users began to refer each other', () => {
    const world = worldOf(fixedRule('1', {}), [
      { ...purchase(1, '2026-02-02', 'bert', 'i1'), ucc: 'OF-ANNA' },
      { ...purchase(2, '2026-02-01', 'anna', 'i2'), ucc: 'OF-BERT' },
    ]);
    const outcomes = [...expectedDecisions(world).values()].map(({ reason }) => reason);
    expect(outcomes).to.deep.equal(['self-referral', undefined]);
  });
});

function creditsByEvent(world: World): Record<string, string> {
  const rewards = expectedRewards(world, expectedDecisions(world));
  return Object.fromEntries(rewards.map((r) => [r.eventId, asDecimal(r.entitled)]));
}

function fixedRule(credits: string, limits: NonNullable<CampaignRule['limits']>): CampaignRule {
  const effect = { kind: 'fixed' as const, credits };
  return { ruleId: 'r1', trigger: 'purchase-created', recipient: 'referrer', effect, limits };
}

function worldOf(rule: CampaignRule, events: readonly EventRecord[]): World {
  const common = { tenantId: 't1', publishedAt: received };
  const code = (ucc: string, productUserId: string) => ({
    ...{ schemaVersion: 1 as const, type: 'code-issued' as const, version: 1 },
    ...{ tenantId: 't1', ucc, productUserId, campaignId: 'c1', at: received },
  });
  return {
    events,
    codes: [code('OF-OTTO', 'otto'), code('OF-ANNA', 'anna'), code('OF-BERT', 'bert')],
    tenants: [],
    revisions: [
      {
        ...{ ...common, schemaVersion: catalogSchemaVersion, entity: 'campaign-revision' },
        ...{ version: 1, campaignId: 'c1', revision: 1, name: 'a campaign', status: 'running' },
        ...{ effectiveFrom: always, landingUrl: 'https://example.com/', creditScale: 2 },
        rules: [rule],
      },
    ],
  };
}

const received = '2026-01-01T00:00:00.000Z';

function reported(number: number, day: string, userId: string, source: EventRecord['source']) {
  const occurredAt = `${day}T12:00:00Z`;
  return {
    ...{ schemaVersion: eventSchemaVersion, eventId: `e${number}`, tenantId: 't1', source },
    ...{ receivedAt: received, occurredAt, ucc: 'OF-OTTO', newUser: { id: userId } },
    occurredAtSeconds: parseTimestamp(occurredAt)!.seconds,
  };
}

function purchase(number: number, day: string, userId: string, invoiceId: string) {
  return {
    ...reported(number, day, userId, 'v2'),
    eventType: 'purchase-created' as const,
    purchase: { invoiceId, currency: 'EUR', amount: 100 },
  };
}

function refund(
  number: number,
  day: string,
  userId: string,
  invoiceId: string,
  amount: number,
  source: EventRecord['source'] = 'v2',
) {
  return {
    ...reported(number, day, userId, source),
    eventType: 'purchase-refunded' as const,
    refund: { invoiceId, currency: 'EUR', amount },
  };
}

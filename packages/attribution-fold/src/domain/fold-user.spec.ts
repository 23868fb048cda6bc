import { derivedId } from '@tributary/contracts/derived-id';
import { expect } from 'chai';
import { decisionOn, decisionsOn, given, testsOf } from '../testing/given.ts';
import { code, demo, eventIdOf, purchase, refund, revision, signup } from '../testing/records.ts';

describe('the fold of a referred user (design 7)', () => {
  it('attributes a purchase to the owner of the code on it and tells every test', () => {
    const decision = decisionOn(given({ events: [purchase(1)] }));
    expect(decision).to.deep.include({
      decisionId: derivedId('decision', 't1', eventIdOf(1)),
      outcome: 'attributed',
      referrerId: 'anna',
      campaignId: 'c1',
      campaignRevision: 1,
      businessKey: '["purchase","t1","inv_1"]',
      flags: [],
    });
    expect(decision).not.to.have.any.keys('reason', 'duplicateOf');
    expect(testsOf(decision)).to.deep.equal([
      '+ code known',
      '+ code enabled',
      '+ not a self-referral',
      '+ campaign running',
      '+ no referral loop',
      '+ not a duplicate',
    ]);
  });

  it('attributes a signup by the key of its user', () => {
    const decision = decisionOn(given({ events: [signup(1)] }));
    expect(decision).to.include({ outcome: 'attributed', businessKey: '["signup","t1","user_1"]' });
    expect(decision).not.to.have.property('purchase');
  });

  it('attributes a demo by the key of its user, beside a signup of the same user', () => {
    const world = given({ events: [signup(1, { userId: 'u' }), demo(2, { userId: 'u' })] });
    expect(decisionOn(world, 2)).to.include({
      outcome: 'attributed',
      eventType: 'demo-attended',
      businessKey: '["demo","t1","u"]',
    });
    expect(decisionOn(world, 1)).to.include({ outcome: 'attributed' });
  });

  it('keeps the organisation of the referred user', () => {
    const event = purchase(1);
    const newUser = { ...event.newUser, organizationId: 'org' };
    const world = given({ events: [{ ...event, newUser }, purchase(2)] });
    expect(decisionOn(world, 1)).to.include({ organizationId: 'org' });
    expect(decisionOn(world, 2)).not.to.have.property('organizationId');
  });

  it('lets an event wait while nobody has published its code', () => {
    const decision = decisionOn(given({ events: [purchase(1)], codes: [] }));
    expect(decision).to.include({
      outcome: 'waiting',
      reason: 'unknown-code',
      waitsUntil: '2026-03-31T10:00:01.000Z',
    });
    expect(testsOf(decision)).to.deep.equal(['- code known']);
  });

  it("does not know another tenant's code", () => {
    const decision = decisionOn(given({ events: [purchase(1, { tenantId: 't2' })] }));
    expect(decision).to.include({ outcome: 'waiting', reason: 'unknown-code' });
  });

  it('refuses a code that was disabled when the event came, and takes one disabled later', () => {
    const disabled = code({
      type: 'code-disabled',
      version: 2,
      at: '2026-03-01T10:00:00.000Z',
    });
    const before = purchase(1, { receivedAt: '2026-03-01T09:59:59.999Z' });
    const after = purchase(2, { receivedAt: '2026-03-01T10:00:00.000Z' });
    const world = given({ events: [before, after], codes: [code(), disabled] });
    expect(decisionOn(world, 1).outcome).to.equal('attributed');
    expect(decisionOn(world, 2)).to.include({
      outcome: 'not-attributed',
      reason: 'code-disabled',
      campaignId: 'c1',
    });
  });

  it('refuses a self-referral', () => {
    const decision = decisionOn(given({ events: [purchase(1, { userId: 'anna' })] }));
    expect(decision).to.include({ outcome: 'not-attributed', reason: 'self-referral' });
    expect(decision).not.to.have.property('referrerId');
  });

  it('refuses what occurred before the first revision or under one that stopped the campaign', () => {
    const stopped = revision({
      revision: 2,
      status: 'stopped',
      effectiveFrom: '2026-04-01T00:00:00.000Z',
    });
    const receivedAt = '2026-04-01T00:00:01.000Z';
    const events = [
      purchase(1, { occurredAt: '2025-12-31T23:59:59.999999999Z', receivedAt }),
      purchase(2, { occurredAt: '2026-01-01T00:00:00Z', receivedAt }),
      purchase(3, { occurredAt: '2026-04-01T00:00:00Z', receivedAt }),
    ];
    const world = given({ events, revisions: [revision(), stopped] });
    expect(decisionOn(world, 1)).to.include({ reason: 'campaign-not-running' });
    expect(decisionOn(world, 1)).not.to.have.property('campaignRevision');
    expect(decisionOn(world, 2)).to.include({ outcome: 'attributed', campaignRevision: 1 });
    expect(decisionOn(world, 3)).to.include({
      reason: 'campaign-not-running',
      campaignRevision: 2,
    });
  });

  it('chooses the higher of two revisions with one effectiveFrom', () => {
    const revisions = [revision({ revision: 3 }), revision(), revision({ revision: 2 })];
    const decision = decisionOn(given({ events: [purchase(1)], revisions }));
    expect(decision.campaignRevision).to.equal(3);
  });

  it('decides extreme times exactly: year 0000, offset +23:59, second 60', () => {
    const revisions = [
      revision({ effectiveFrom: '0000-01-01T00:00:00.000Z' }),
      revision({ revision: 2, effectiveFrom: '2016-12-31T23:59:60.000Z' }),
    ];
    const events = [
      purchase(1, { occurredAt: '0000-01-01T00:00:00+23:59' }),
      purchase(2, { occurredAt: '0000-01-01T00:00:00-23:59' }),
      purchase(3, { occurredAt: '2016-12-31T23:59:60.5Z' }),
    ];
    const world = given({ events, revisions });
    expect(decisionOn(world, 1).campaignRevision).to.equal(1);
    expect(decisionOn(world, 2).campaignRevision).to.equal(1);
    expect(decisionOn(world, 3).campaignRevision).to.equal(2);
  });
});

describe('duplicates (design 7, "Business keys")', () => {
  it('decide all but the first of one invoice `duplicate`, naming the first', () => {
    const first = purchase(1, { invoiceId: 'inv', occurredAt: '2026-03-01T10:00:00.1Z' });
    const second = purchase(2, { invoiceId: 'inv', occurredAt: '2026-03-01T10:00:00.11Z' });
    const world = given({ events: [second, first] });
    expect(decisionOn(world, 1).outcome).to.equal('attributed');
    expect(decisionOn(world, 2)).to.include({
      outcome: 'not-attributed',
      reason: 'duplicate',
      duplicateOf: eventIdOf(1),
    });
    expect(decisionOn(world, 2).flags).to.deep.equal(['user-differs']);
  });

  it('let the source decide before the time: v2, processor, legacy, widget', () => {
    const at = (hour: number) => `2026-03-01T0${hour}:00:00Z`;
    const one = { invoiceId: 'inv', userId: 'u' };
    const events = [
      purchase(1, { ...one, source: 'widget', occurredAt: at(1) }),
      purchase(2, { ...one, source: 'legacy', occurredAt: at(2) }),
      purchase(3, { ...one, source: 'processor', occurredAt: at(3) }),
      purchase(4, { ...one, source: 'v2', occurredAt: at(4) }),
    ];
    for (let left = 4; left >= 1; left--) {
      const decisions = decisionsOn(given({ events: events.slice(0, left) }));
      const attributed = decisions.filter(({ outcome }) => outcome === 'attributed');
      expect(attributed.map(({ eventId }) => eventId)).to.deep.equal([eventIdOf(left)]);
    }
  });

  it('name the holder even when it is not attributed itself', () => {
    const holder = purchase(1, { invoiceId: 'inv', userId: 'anna' });
    const other = purchase(2, { invoiceId: 'inv', receivedAt: '2026-03-01T10:00:02.000Z' });
    const world = given({ events: [holder, other] });
    expect(decisionOn(world, 1).reason).to.equal('self-referral');
    expect(decisionOn(world, 2)).to.include({ reason: 'duplicate', duplicateOf: eventIdOf(1) });
  });

  it('are flagged when amount, currency or user differ', () => {
    const one = { invoiceId: 'inv', userId: 'u' };
    const later = { ...one, receivedAt: '2026-03-01T10:00:02.000Z' };
    const events = [
      purchase(1, one),
      purchase(2, later),
      purchase(3, { ...later, amount: 1 }),
      purchase(4, { ...later, currency: 'USD', userId: 'v' }),
    ];
    const flags = decisionsOn(given({ events })).map((decision) => decision.flags);
    expect(flags).to.deep.equal([[], [], ['amount-differs'], ['amount-differs', 'user-differs']]);
  });

  it('of a signup are the same user again', () => {
    const again = signup(2, { userId: 'user_1', receivedAt: '2026-03-01T10:00:02.000Z' });
    const world = given({ events: [signup(1), again] });
    expect(decisionOn(world, 2)).to.include({ reason: 'duplicate', duplicateOf: eventIdOf(1) });
  });

  it('of a refund are those with its invoice, source and idempotency key, else time and amount', () => {
    const shape = { invoiceId: 'inv_1', amount: 100 };
    const keyed = (n: number, key: string) => ({
      ...refund(n, { ...shape, amount: n }),
      idempotency: { key, fingerprint: 'f' },
    });
    const events = [
      refund(1, shape),
      refund(2, { ...shape, receivedAt: '2026-03-01T10:00:02.000Z' }),
      refund(3, { ...shape, amount: 50 }),
      keyed(4, 'k'),
      keyed(5, 'k'),
      keyed(6, 'l'),
      refund(7, { ...shape, source: 'legacy' }),
    ];
    const reasons = decisionsOn(given({ events })).map((d) => [d.eventId.slice(-1), d.reason]);
    const duplicates = reasons.filter(([, reason]) => reason === 'duplicate');
    expect(duplicates.map(([n]) => n).sort()).to.deep.equal(['2', '5']);
  });

  it('of a legacy refund that was sent without a time are known without it', () => {
    const shape = { invoiceId: 'i', source: 'legacy' as const, occurredAtRaw: '' };
    const later = { occurredAt: '2026-03-02T10:00:00Z', receivedAt: '2026-03-02T10:00:00.000Z' };
    const events = [refund(1, shape), refund(2, { ...shape, ...later })];
    expect(decisionOn(given({ events }), 2).reason).to.equal('duplicate');
  });

  it('of a legacy refund without invoiceId are known by a digest, and flagged so', () => {
    const shape = { invoiceId: null, source: 'legacy' as const, userId: 'u' };
    const events = [refund(1, shape), refund(2, shape), refund(3, { ...shape, amount: 1 })];
    const decisions = decisionsOn(given({ events }));
    expect(decisions.filter((d) => d.reason === 'duplicate')).to.have.length(1);
    for (const decision of decisions) expect(decision.flags).to.include('derived-business-key');
  });

  it('of a legacy purchase without invoiceId are known by a digest, and flagged so', () => {
    const legacy = { invoiceId: null, source: 'legacy' as const, userId: 'u' };
    const raw = { ...legacy, occurredAtRaw: '2026-03-01 10:00:00' };
    const events = [
      purchase(1, raw),
      purchase(2, { ...raw, receivedAt: '2026-03-01T10:00:02.000Z' }),
      purchase(3, { ...raw, amount: 5000 }),
      purchase(4, { ...legacy, occurredAt: '2026-03-01T10:00:00.0Z' }),
    ];
    const decisions = decisionsOn(given({ events }));
    const outcomes = decisions.map((d) => d.reason ?? d.outcome);
    expect(outcomes).to.deep.equal(['attributed', 'duplicate', 'attributed', 'attributed']);
    for (const decision of decisions) expect(decision.flags).to.include('derived-business-key');
  });
});

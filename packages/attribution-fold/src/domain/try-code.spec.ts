import { expect } from 'chai';
import { decisionOn, endsOf, given, testsOf } from '../testing/given.ts';
import { code, demo, purchase, refund, revision, signup, tenant } from '../testing/records.ts';

const day = (n: number) => ({ occurredAt: `2026-03-${String(n).padStart(2, '0')}T10:00:00Z` });
const received = (at: string) => ({ receivedAt: at });
const bertsCode = code({ ucc: 'bert-code', productUserId: 'bert' });

describe('a code that comes later than its event', () => {
  const came = { receivedAt: '2026-03-01T10:00:00.000Z' };
  const endOf = (ucc: string, at: string) => {
    const world = given({ events: [purchase(1, { ucc, ...came })], codes: [code({ ucc, at })] });
    return endsOf(world)[0];
  };

  it('counts for 30 days when it has the derived form', () => {
    expect(endOf('Derived0001', '2026-03-31T10:00:00.000Z')).to.equal('attributed');
    expect(endOf('Derived0001', '2026-03-31T10:00:00.001Z')).to.equal('unknown-code');
  });

  it('counts for 24 hours when it is a custom one', () => {
    expect(endOf('anna-code', '2026-03-02T10:00:00.000Z')).to.equal('attributed');
    expect(endOf('anna-code', '2026-03-02T10:00:00.001Z')).to.equal('unknown-code');
  });

  it('ends the waiting when it does not count', () => {
    const codes = [code({ at: '2026-04-01T00:00:00.000Z' })];
    const decision = decisionOn(given({ events: [purchase(1, came)], codes }));
    expect(decision).to.include({ outcome: 'not-attributed', reason: 'unknown-code' });
    expect(decision).not.to.have.any.keys('waitsUntil', 'campaignId');
  });
});

describe('the attribution window', () => {
  const revisions = [revision({ attributionWindowDays: 7 })];
  const first = signup(1, { userId: 'u', ucc: 'never', occurredAt: '2026-03-01T10:00:00.5Z' });

  it("ends to the last digit so many days after the user's first fact, of whatever code", () => {
    const events = [
      first,
      purchase(2, { userId: 'u', occurredAt: '2026-03-08T10:00:00.5Z' }),
      purchase(3, { userId: 'u', occurredAt: '2026-03-08T10:00:00.50000000000000000000001Z' }),
    ];
    const world = given({ events, revisions });
    expect(endsOf(world)).to.deep.equal(['unknown-code', 'attributed', 'outside-window']);
    expect(decisionOn(world, 3)).to.include({ campaignId: 'c1', campaignRevision: 1 });
    expect(testsOf(decisionOn(world, 3)).at(-1)).to.equal('- within the attribution window');
  });

  it('does not begin with a refund, and does not concern signups and demos', () => {
    const events = [
      refund(1, { userId: 'u', ...day(1) }),
      purchase(2, { userId: 'u', ...day(20) }),
      signup(3, { userId: 'v', ...day(1) }),
      demo(4, { userId: 'v', ...day(20) }),
    ];
    expect(endsOf(given({ events, revisions })).slice(1)).to.deep.equal([
      'attributed',
      'attributed',
      'attributed',
    ]);
  });

  it('works before the epoch', () => {
    const always = '0000-01-01T00:00:00.000Z';
    const events = [
      signup(1, { userId: 'u', occurredAt: '0000-01-01T00:00:00.25+23:59' }),
      purchase(2, { userId: 'u', occurredAt: '0000-01-08T00:00:00.25+23:59' }),
      purchase(3, { userId: 'u', occurredAt: '0000-01-08T00:00:00.251+23:59' }),
    ];
    const long = [revision({ attributionWindowDays: 7, effectiveFrom: always })];
    expect(endsOf(given({ events, revisions: long }))).to.deep.equal([
      'attributed',
      'attributed',
      'outside-window',
    ]);
  });
});

describe('an existing user', () => {
  const excluding = revision({ existingUsers: 'exclude' });
  const event = purchase(1, { userId: 'bert', ...received('2026-03-01T10:00:00.000Z') });
  const owning = (at: string) => [code(), code({ ...bertsCode, at })];

  it('is one who owned a code for more than 24 hours when the first event about them was received', () => {
    const before = { events: [event], codes: owning('2026-02-28T09:59:59.999Z') };
    const then = { events: [event], codes: owning('2026-02-28T10:00:00.000Z') };
    expect(endsOf(given({ ...before, revisions: [excluding] }))).to.deep.equal(['existing-user']);
    expect(endsOf(given({ ...then, revisions: [excluding] }))).to.deep.equal(['attributed']);
    expect(endsOf(given(before))).to.deep.equal(['attributed']);
  });

  it('is not one whom a boot of the widget gave a code moments before their signup came', () => {
    const booted = [code(), code({ ...bertsCode, at: '2026-03-01T09:59:58.000Z' })];
    const world = given({ events: [event], codes: booted, revisions: [excluding] });
    expect(endsOf(world)).to.deep.equal(['attributed']);
    expect(testsOf(decisionOn(world))).to.include('+ not an existing user');
  });

  it('is one by the oldest of their codes', () => {
    const old = code({ ucc: 'old-code', productUserId: 'bert', at: '2026-01-01T00:00:00.000Z' });
    const codes = [...owning('2026-03-01T09:00:00.000Z'), old];
    const world = given({ events: [event], codes, revisions: [excluding] });
    expect(endsOf(world)).to.deep.equal(['existing-user']);
  });

  it('is one of whom an event was received before the campaign began', () => {
    const early = refund(2, { userId: 'u', ...received('2025-12-31T23:59:59.999Z') });
    const events = [purchase(1, { userId: 'u' }), early];
    const world = given({ events, revisions: [excluding] });
    expect(endsOf(world)[0]).to.equal('existing-user');
    expect(decisionOn(world)).to.include({ campaignId: 'c1', campaignRevision: 1 });
    const always = revision({
      existingUsers: 'exclude',
      effectiveFrom: '0000-01-01T00:00:00.000Z',
    });
    expect(endsOf(given({ events, revisions: [always] }))[0]).to.equal('attributed');
  });
});

describe('two users who refer each other', () => {
  const codes = [code(), bertsCode];
  const events = [
    purchase(1, { userId: 'bert', ucc: 'anna-code', ...day(2) }),
    purchase(2, { userId: 'anna', ucc: 'bert-code', ...day(3) }),
    purchase(3, { userId: 'bert', ucc: 'anna-code', ...day(4) }),
  ];
  const world = (referralLoops?: 'reject' | 'review' | 'allow') =>
    given({ events, codes, revisions: [revision({ ...(referralLoops && { referralLoops }) })] });

  it('are attributed in the direction that was first, and rejected in the other', () => {
    for (const each of [world(), world('reject')]) {
      expect(endsOf(each)).to.deep.equal(['attributed', 'self-referral', 'attributed']);
      expect(testsOf(decisionOn(each, 2)).at(-1)).to.equal('- no referral loop');
      expect(decisionOn(each, 2)).not.to.have.property('referrerId');
    }
  });

  it('are attributed and reviewed in the other, or not even that, by the campaign', () => {
    const reviewed = world('review');
    expect(endsOf(reviewed)).to.deep.equal(['attributed', 'attributed', 'attributed']);
    expect(decisionOn(reviewed, 2).review).to.deep.equal(['referral-loop']);
    expect(decisionOn(reviewed, 1)).not.to.have.property('review');
    expect(decisionOn(world('allow'), 2)).not.to.have.property('review');
    expect(testsOf(decisionOn(world('allow'), 2))).not.to.include('+ no referral loop');
  });

  it('turn round when an earlier event comes', () => {
    const earlier = signup(4, { userId: 'anna', ucc: 'bert-code', ...day(1) });
    const ends = endsOf(given({ events: [...events, earlier], codes }));
    expect(ends).to.deep.equal(['self-referral', 'attributed', 'self-referral', 'attributed']);
  });

  it('do so whatever became of the first event', () => {
    const disabled = code({
      ...code(),
      type: 'code-disabled',
      version: 2,
      at: '2026-01-02T00:00:00.000Z',
    });
    const ends = endsOf(given({ events, codes: [...codes, disabled] }));
    expect(ends).to.deep.equal(['code-disabled', 'self-referral', 'code-disabled']);
  });
});

describe('mode first-code', () => {
  const codes = [code(), code({ ucc: 'carl-code', productUserId: 'carl', campaignId: 'c2' })];
  const revisions = [revision(), revision({ campaignId: 'c2' })];
  const firstCode = tenant({ attributionMode: 'first-code' });
  const u = { userId: 'u' };

  it("decides by the user's first valid code, across campaigns, whatever code comes later", () => {
    const events = [
      signup(1, { ...u, ucc: 'never', ...day(1) }),
      demo(2, { ...u, ucc: 'carl-code', ...day(2) }),
      purchase(3, { ...u, ucc: 'anna-code', ...day(3) }),
      purchase(4, { ...u, ucc: '', source: 'legacy', ...day(4) }),
      purchase(5, { ...u, ucc: 'carl-code', ...day(5) }),
    ];
    const world = given({ events, codes, revisions, tenants: [firstCode] });
    expect(endsOf(world)).to.deep.equal([
      'unknown-code',
      'attributed',
      'attributed',
      'attributed',
      'attributed',
    ]);
    for (const n of [3, 4]) {
      expect(decisionOn(world, n)).to.include({ boundUcc: 'carl-code', referrerId: 'carl' });
    }
    expect(decisionOn(world, 5)).not.to.have.property('boundUcc');
  });

  it('evaluates the code at the event that bound it, and the campaign at each event', () => {
    const disabled = code({ type: 'code-disabled', version: 2, at: '2026-03-02T00:00:00.000Z' });
    const stopped = revision({
      revision: 2,
      status: 'stopped',
      effectiveFrom: '2026-03-05T00:00:00.000Z',
    });
    const later = received('2026-03-09T00:00:00.000Z');
    const events = [
      signup(1, { ...u, ...day(1) }),
      purchase(2, { ...u, ...later, ...day(3) }),
      purchase(3, { ...u, ...later, ucc: 'never', ...day(6) }),
    ];
    const world = given({
      events,
      codes: [code(), disabled],
      revisions: [revision(), stopped],
      tenants: [firstCode],
    });
    expect(endsOf(world)).to.deep.equal(['attributed', 'attributed', 'campaign-not-running']);
  });

  it('does not bind by a code that is disabled, of the user, stopped, excluded or in a loop', () => {
    const own = code({ ucc: 'u-code', productUserId: 'u', at: '2026-03-02T00:00:00.000Z' });
    const off = code({ ucc: 'off', type: 'code-disabled' });
    const idle = code({ ucc: 'idle', campaignId: 'nowhere' });
    for (const ucc of ['u-code', 'off', 'idle']) {
      const events = [signup(1, { ...u, ucc, ...day(1) }), purchase(2, { ...u, ...day(2) })];
      const world = given({ events, codes: [code(), own, off, idle], tenants: [firstCode] });
      expect(decisionOn(world, 2), ucc).to.include({ outcome: 'attributed', referrerId: 'anna' });
    }
    const loop = [
      purchase(1, { userId: 'anna', ucc: 'u-code', ...day(1) }),
      signup(2, { ...u, ucc: 'anna-code', ...day(2) }),
      purchase(3, { ...u, ucc: 'carl-code', ...day(3) }),
    ];
    const world = given({ events: loop, codes: [...codes, own], revisions, tenants: [firstCode] });
    expect(endsOf(world)).to.deep.equal(['attributed', 'self-referral', 'attributed']);
    expect(decisionOn(world, 3)).to.include({ referrerId: 'carl' });
  });

  it('holds from the publication of the record that sets it, the first one from always', () => {
    const later = received('2026-03-10T00:00:00.000Z');
    const events = [
      signup(1, { ...u, ucc: 'carl-code', ...later, ...day(1) }),
      purchase(2, { ...u, ...later, ...day(3) }),
      purchase(3, { ...u, ...later, ...day(6) }),
      purchase(4, { ...u, ...later, ...day(9) }),
    ];
    const tenants = [
      tenant(),
      tenant({
        version: 2,
        attributionMode: 'first-code',
        publishedAt: '2026-03-05T00:00:00.000Z',
      }),
      tenant({ version: 3, publishedAt: '2026-03-08T00:00:00.000Z' }),
    ];
    const referrers = (of: typeof tenants) =>
      [2, 3, 4].map((n) => {
        const world = given({ events, codes, revisions, tenants: of });
        return decisionOn(world, n).referrerId;
      });
    expect(referrers(tenants)).to.deep.equal(['anna', 'carl', 'anna']);
    expect(referrers([firstCode])).to.deep.equal(['carl', 'carl', 'carl']);
    expect(referrers([])).to.deep.equal(['anna', 'anna', 'anna']);
  });
});

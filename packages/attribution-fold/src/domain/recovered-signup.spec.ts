import type { EventRecord } from '@tributary/contracts/event-record';
import { expect } from 'chai';
import fc from 'fast-check';
import type { DecisionContent } from './decision.ts';
import { decisionOn, decisionsOn, endsOf, given, testsOf } from '../testing/given.ts';
import { code, demo, purchase, refund, revision, signup, tenant } from '../testing/records.ts';

const day = (n: number) => ({ occurredAt: `2026-03-${String(n).padStart(2, '0')}T10:00:00Z` });
const u = { userId: 'u' };
const byWidget = { ...u, source: 'widget' as const };
const recovered = ['recovered-signup'];
const codes = [code(), code({ ucc: 'carl-code', productUserId: 'carl' })];
const firstCode = tenant({ attributionMode: 'first-code' });

/** A signup that no backend reported: the widget did, by the link that the browser had followed. */
describe('a recovered signup', () => {
  it('is attributed, to be reviewed, and says why', () => {
    const decision = decisionOn(given({ events: [signup(1, byWidget)] }));
    expect(decision).to.deep.include({ outcome: 'attributed', referrerId: 'anna' });
    expect(decision.review).to.deep.equal(recovered);
    expect(testsOf(decision)).to.include('+ recovered by the widget');
  });

  it('is no reason to review what a backend reported of the same user', () => {
    const events = [signup(1, { ...byWidget, ...day(1) }), purchase(2, { ...u, ...day(2) })];
    const decision = decisionOn(given({ events }), 2);
    expect(decision).to.include({ outcome: 'attributed' }).and.not.have.property('review');
    expect(testsOf(decision)).to.not.include('+ recovered by the widget');
  });

  it('lets nobody count as new without a review, where users with a code of their own are excluded', () => {
    const owned = code({ ucc: 'u-code', productUserId: 'u', at: '2026-03-01T10:00:00.000Z' });
    const revisions = [revision({ existingUsers: 'exclude' })];
    const booted = signup(1, { ...byWidget, receivedAt: '2026-03-01T10:00:00.000Z' });
    const bought = (at: string) => purchase(2, { ...u, receivedAt: at });
    const world = (events: EventRecord[]) => given({ events, codes: [code(), owned], revisions });
    const late = bought('2026-03-02T10:00:00.001Z');
    expect(endsOf(world([late]))).to.deep.equal(['existing-user']);
    const decision = decisionOn(world([booted, late]), 2);
    expect(decision).to.deep.include({ outcome: 'attributed', review: recovered });
    expect(testsOf(decision)).to.include('+ recovered by the widget');
    const inTime = world([booted, bought('2026-03-02T10:00:00.000Z')]);
    expect(decisionOn(inTime, 2)).to.include({ outcome: 'attributed' }).and.not.have.key('review');
  });

  it('tells both reasons in a loop that is to be reviewed', () => {
    const owned = code({ ucc: 'u-code', productUserId: 'u' });
    const events = [
      signup(1, { userId: 'anna', ucc: 'u-code', ...day(1) }),
      signup(2, { ...byWidget, ...day(2) }),
    ];
    const revisions = [revision({ referralLoops: 'review' })];
    const world = given({ events, codes: [code(), owned], revisions });
    expect(decisionOn(world, 2).review).to.deep.equal(['referral-loop', 'recovered-signup']);
  });

  it('never stands in the way of a referral that a backend reported, in a loop', () => {
    const owned = code({ ucc: 'u-code', productUserId: 'u' });
    const events = [
      signup(1, { ...byWidget, ...day(1) }),
      signup(2, { userId: 'anna', ucc: 'u-code', ...day(2) }),
    ];
    const world = given({ events, codes: [code(), owned] });
    expect(endsOf(world)).to.deep.equal(['self-referral', 'attributed']);
    const both = given({
      events: [...events, demo(3, { ...u, ...day(1) })],
      codes: [code(), owned],
    });
    expect(endsOf(both)).to.deep.equal(['attributed', 'self-referral', 'attributed']);
  });

  it('that is not attributed has nothing to review', () => {
    const decision = decisionOn(given({ events: [signup(1, { ...byWidget, ucc: 'never' })] }));
    expect(decision).to.include({ reason: 'unknown-code' }).and.not.have.property('review');
  });

  for (const [when, widget, backend] of [
    ['earlier', day(1), day(2)],
    ['later', day(2), day(1)],
  ] as const) {
    it(`loses to the backend's signup, though it occurred ${when}`, () => {
      const events = [
        signup(1, { ...byWidget, ...widget }),
        signup(2, { ...u, ucc: 'carl-code', ...backend }),
      ];
      const world = given({ events, codes });
      expect(endsOf(world)).to.deep.equal(['duplicate', 'attributed']);
      expect(decisionOn(world, 1)).to.not.have.property('review');
      expect(decisionOn(world, 2))
        .to.include({ referrerId: 'carl' })
        .and.not.have.property('review');
    });
  }

  it('does not begin the window of a purchase', () => {
    const events = [signup(1, { ...byWidget, ...day(1) }), purchase(2, { ...u, ...day(20) })];
    const revisions = [revision({ attributionWindowDays: 7 })];
    expect(decisionOn(given({ events, revisions }), 2)).to.include({ outcome: 'attributed' });
  });
});

describe('a recovered signup in mode first-code', () => {
  const world = (...events: EventRecord[]) => given({ events, codes, tenants: [firstCode] });
  const widget = signup(1, { ...byWidget, ucc: 'carl-code', ...day(1) });

  it('binds where nothing that a backend reported does, and what follows is to be reviewed', () => {
    const without = purchase(2, { ...u, ucc: 'never', ...day(2) });
    const decision = decisionOn(world(widget, without), 2);
    expect(decision).to.include({ boundUcc: 'carl-code', referrerId: 'carl' });
    expect(decision.review).to.deep.equal(recovered);
    const detail = decision.tests.find(({ test }) => test === 'recovered by the widget')?.detail;
    expect(detail).to.contain(widget.eventId);
  });

  for (const [when, later] of [
    ['later', day(9)],
    ['earlier', { occurredAt: '2026-02-01T10:00:00Z' }],
  ] as const) {
    it(`gives way to a backend's code that came ${when}`, () => {
      const between = purchase(2, { ...u, ucc: 'never', ...day(2) });
      const bought = demo(3, { ...u, ...later });
      const found = world(widget, between, bought, purchase(4, { ...u, ucc: 'never', ...day(10) }));
      expect(decisionOn(found, 3))
        .to.include({ referrerId: 'anna' })
        .and.not.have.property('review');
      expect(decisionOn(found, 4)).to.include({ boundUcc: 'anna-code', referrerId: 'anna' });
      expect(decisionOn(found, 4)).to.not.have.property('review');
    });
  }

  it('does not give way to a code that is not valid, nor to a refund', () => {
    const events = [
      signup(2, { ...u, ucc: 'never', ...day(2) }),
      purchase(3, { ...u, ucc: 'never', ...day(3) }),
      refund(3, { ...u, ...day(4) }),
    ].map((event, n) => ({ ...event, eventId: `00000000-0000-7000-8000-00000000000${n + 2}` }));
    expect(decisionOn(world(widget, ...events), 3)).to.include({ boundUcc: 'carl-code' });
  });
});

/** Few users and codes, so that they meet and refer each other. */
const events = fc
  .array(
    fc.record({
      userId: fc.constantFrom('u', 'v'),
      ucc: fc.constantFrom('anna-code', 'carl-code', 'u-code', 'v-code', 'off', 'never'),
      source: fc.constantFrom(
        'v2' as const,
        'legacy' as const,
        'widget' as const,
        'widget' as const,
      ),
      occurredAt: fc.integer({ min: 1, max: 5 }).map((n) => day(n).occurredAt),
      build: fc.constantFrom(signup, demo, purchase),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((shapes) =>
    shapes.map(({ build, ...shape }, n) =>
      shape.source === 'widget' ? signup(n + 1, shape) : build(n + 1, shape),
    ),
  );

describe('recovered signups, over any history', () => {
  const off = code({ ucc: 'off', type: 'code-disabled' });
  const owned = ['u', 'v'].map((id) => code({ ucc: `${id}-code`, productUserId: id }));
  const revisions = fc
    .record({
      attributionWindowDays: fc.constantFrom(1, 3),
      referralLoops: fc.constantFrom('reject' as const, 'review' as const, 'allow' as const),
    })
    .map((settings) => [revision(settings)]);
  const decided = (of: readonly EventRecord[], rest: Parameters<typeof given>[0]) =>
    decisionsOn(given({ events: of, codes: [...codes, ...owned, off], ...rest }));
  // How a test words it may differ: an opposite referral that does not count is told.
  const verdictOf = ({ tests: _t, ...verdict }: DecisionContent) => verdict;
  const isBackends = ({ source }: { source: string }) => source !== 'widget';

  it('change nothing of what is decided about backends’ facts by the code on each', () => {
    fc.assert(
      fc.property(events, revisions, (all, revisions) => {
        const alone = decided(all.filter(isBackends), { revisions });
        const together = decided(all, { revisions }).filter(isBackends);
        expect(together.map(verdictOf)).to.deep.equal(alone.map(verdictOf));
      }),
      { numRuns: 500 },
    );
  });

  it('in mode first-code, nothing of users whom a code on a backend’s fact binds', () => {
    fc.assert(
      fc.property(events, revisions, (all, revisions) => {
        const rest = { revisions, tenants: [firstCode] };
        const alone = decided(all.filter(isBackends), rest);
        const together = decided(all, rest).filter(isBackends);
        const valid = ['anna-code', 'carl-code'];
        const bound = all.filter(isBackends).filter(({ ucc }) => valid.includes(ucc));
        const users = new Set(bound.map(({ newUser }) => newUser.id));
        const of = (decisions: typeof alone) =>
          decisions.filter(({ newUserId }) => users.has(newUserId)).map(verdictOf);
        expect(of(together)).to.deep.equal(of(alone));
      }),
      { numRuns: 500 },
    );
  });

  it('never earn, nor let anything earn, without a review', () => {
    fc.assert(
      fc.property(events, fc.constantFrom([], [firstCode]), (all, tenants) => {
        const decisions = decided(all, { tenants });
        const alone = new Map(
          decided(all.filter(isBackends), { tenants }).map((d) => [d.eventId, d.outcome]),
        );
        for (const { eventId, outcome, review } of decisions) {
          if (outcome !== 'attributed' || alone.get(eventId) === 'attributed') continue;
          expect(review).to.include('recovered-signup');
        }
      }),
      { numRuns: 500 },
    );
  });
});

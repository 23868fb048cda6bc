import { expect } from 'chai';
import { difference, type Explanation } from './explanations.ts';

describe('two explanations of an event', () => {
  const decision = { version: 2, outcome: 'attributed', tests: [{ test: 'code', passed: true }] };
  const before: Explanation = {
    stories: [{ eventId: 'e1', decision, rewards: [{ credits: '10' }] }],
    text: 'Event e1\n  Decision (version 2): attributed',
  };
  const with_ = (change: object, text = before.text): Explanation => ({
    stories: [{ ...(before.stories[0] as object), ...change }],
    text,
  });

  it('say the same by other versions, and with members that only one release knows', () => {
    const after = with_(
      { decision: { ...decision, version: 1, foldVersion: 2 } },
      'Event e1\n  Decision (version 1): attributed',
    );
    expect(difference(before, after)).to.equal(undefined);
  });

  it('say the same without the sentence on what was set off', () => {
    const netted = '5.00 credits were netted against credits withdrawn after their issue.';
    const told = { stories: [{ explanation: ['10 credits', netted] }], text: `a\n  ${netted}\nb` };
    const after = { stories: [{ explanation: ['10 credits'] }], text: 'a\nb' };
    expect(difference(told, after)).to.equal(undefined);
    expect(difference(told, { ...after, text: 'a\nc' })).to.include('text, line 2');
  });

  it('say the same where the later release has other words for it', () => {
    const attempt = 'attempt 1 at 2026-11-23T04:54:01.908Z (status 200)';
    const told = { stories: [], text: `Webhook w: delivered by ${attempt}.` };
    const now = `Webhook w: delivered on ${attempt}.`;
    expect(difference(told, { stories: [], text: now })).to.equal(undefined);
    const other = now.replace('attempt 1', 'attempt 2');
    expect(difference(told, { stories: [], text: other })).to.include('text, line 1');
  });

  for (const [what, after, where] of [
    ['another amount', with_({ rewards: [{ credits: '11' }] }), 'stories[0].rewards[0].credits'],
    ['one reward less', with_({ rewards: [] }), 'stories[0].rewards: 1, now 0'],
    ['one reward more', with_({ rewards: [{ credits: '10' }, {}] }), 'stories[0].rewards: 1'],
    ['no decision', with_({ decision: undefined }), 'stories[0].decision'],
    ['a failed test', with_({ decision: { ...decision, tests: [] } }), 'decision.tests: 1, now 0'],
    ['another sentence', with_({}, 'Event e1\n  Decision (version 2): refused'), 'text, line 2'],
    ['a sentence more', with_({}, `${before.text}\n  more`), 'text: new line "  more"'],
    ['a sentence less', with_({}, 'Event e1'), 'text, line 2'],
  ] as const) {
    it(`differ by ${what}`, () => {
      expect(difference(before, after)).to.include(where);
    });
  }
});

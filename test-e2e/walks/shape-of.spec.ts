import { expect } from 'chai';
import { shapeOf } from './shape-of.ts';

describe('the shape of what a page shows', () => {
  const fits = (shown: string, printed: string) => shapeOf(shown).test(printed);

  it('takes other ids, times and numbers', () => {
    const shown =
      '{"eventId":"01a206c1-00cf-73cc-8c4b-71d02376d90e","at":"2026-11-23T04:54:01.679Z"}';
    const other =
      '{"eventId":"99a206c1-11cf-73cc-8c4b-71d02376d90f","at":"2027-01-02T00:00:00.1Z"}';
    expect(fits(shown, other)).to.equal(true);
    expect(fits('9 credits (12.5 ms)', '1,200 credits (3 ms)')).to.equal(true);
  });

  it('refuses another word, a missing line and one too many', () => {
    expect(fits('status: issued', 'status: held')).to.equal(false);
    expect(fits('one\ntwo', 'one')).to.equal(false);
    expect(fits('one', 'one\ntwo')).to.equal(false);
  });

  it('takes anything for an ellipsis, and another breaking of lines', () => {
    expect(fits('begin\n…\nend', 'begin\nx\ny\nend')).to.equal(true);
    expect(fits('{"a":1,\n "b":2}', '{"a":1,"b":2}')).to.equal(true);
    expect(fits('begin …', 'other')).to.equal(false);
  });
});

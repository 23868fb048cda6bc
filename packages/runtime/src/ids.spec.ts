import { expect } from 'chai';
import { validate, version } from 'uuid';
import { createIdSource } from './ids.ts';

describe('ids', () => {
  it('are UUIDs of version 7 with the given time in front (RFC 9562 5.7)', () => {
    const id = createIdSource().uuidv7(0x0123_4567_89ab);
    expect(id).to.match(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(validate(id)).to.equal(true);
    expect(version(id)).to.equal(7);
  });

  it('are all different and grow, within a millisecond and when the clock goes back', () => {
    const ids = createIdSource();
    const made: string[] = [];
    for (let i = 0; i < 20_000; i++) made.push(ids.uuidv7(i < 10_000 ? 1_000_000 : 999_000));
    expect(new Set(made).size).to.equal(made.length);
    expect(made.every(validate)).to.equal(true);
    expect([...made].sort()).to.deep.equal(made);
  });

  it('differ between sources that start at the same moment', () => {
    const made = Array.from({ length: 1_000 }, () => createIdSource().uuidv7(1_000_000));
    expect(new Set(made).size).to.equal(made.length);
  });

  it('are base62 text of the asked length in which every character is as likely', () => {
    const text = createIdSource().base62(620_000);
    expect(text).to.match(/^[0-9A-Za-z]{620000}$/);
    const counts = new Map<string, number>();
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).to.equal(62);
    // 10,000 expected; seven standard deviations are about 700.
    for (const [character, count] of counts) expect(count, character).to.be.within(9_300, 10_700);
  });
});

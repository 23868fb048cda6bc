import { expect } from 'chai';
import fc from 'fast-check';
import { type KnownName, shownName } from './shown-name.ts';

const known = (about: Partial<KnownName>): KnownName => ({
  name: null,
  firstName: null,
  lastName: null,
  ...about,
});
const first = (about: Partial<KnownName>) => shownName(known(about), 'first-name');

describe('the name that another person is shown', () => {
  it('is the first name, its initial, or none, as the tenant has set', () => {
    const ada = known({ firstName: 'Ada', lastName: 'Lovelace', name: 'Ada Lovelace' });
    expect(shownName(ada, 'first-name')).to.equal('Ada');
    expect(shownName(ada, 'initial')).to.equal('A.');
    expect(shownName(ada, 'none')).to.equal(undefined);
  });

  it('is taken from the whole name where no first name is known', () => {
    expect(first({ name: 'Ada King Lovelace' })).to.equal('Ada');
    expect(first({ name: '  Ada\tLovelace' })).to.equal('Ada');
    expect(first({ name: 'Lovelace, Ada' })).to.equal('Ada');
    expect(first({ name: 'Ada' })).to.equal('Ada');
    expect(first({ name: 'Ada Lovelace', firstName: '' })).to.equal('Ada');
  });

  it('is never the last name that is known', () => {
    expect(first({ name: 'Lovelace', lastName: 'Lovelace' })).to.equal(undefined);
    expect(first({ name: 'Lovelace Ada', lastName: 'lovelace' })).to.equal('Ada');
    expect(first({ name: 'van Rossum Guido', lastName: 'van Rossum' })).to.equal('Guido');
    expect(first({ lastName: 'Lovelace' })).to.equal(undefined);
  });

  it('is never an e-mail address', () => {
    expect(first({ name: 'ada@acme.example' })).to.equal(undefined);
    expect(first({ firstName: 'ada@acme.example' })).to.equal(undefined);
  });

  it('does not exist of a person of whom nothing is known', () => {
    expect(shownName(undefined, 'first-name')).to.equal(undefined);
    expect(shownName(known({}), 'initial')).to.equal(undefined);
    expect(first({ firstName: ' ', name: ' ' })).to.equal(undefined);
  });

  it('keeps an initial whole, in capitals', () => {
    expect(shownName(known({ firstName: 'e\u0301lodie' }), 'initial')).to.equal('E\u0301.');
    expect(shownName(known({ firstName: '\u{1f469}\u200d\u{1f680} x' }), 'initial')).to.equal(
      '\u{1f469}\u200d\u{1f680}.',
    );
  });

  it('turns no text around it', () => {
    expect(first({ firstName: '\u202eada\u0000\n' })).to.equal('ada');
    expect(first({ firstName: 'می\u200cترا' })).to.equal('می\u200cترا');
  });

  it('holds no known last name, whatever the names are', () => {
    const word = fc.stringMatching(/^[A-Za-zÀ-ž]{1,12}$/);
    const property = fc.property(word, word, fc.boolean(), (a, b, turned) => {
      fc.pre(a.toLowerCase() !== b.toLowerCase());
      const name = turned ? `${b} ${a}` : `${a} ${b}`;
      expect(first({ name, lastName: b })).to.equal(a);
    });
    fc.assert(property);
  });
});

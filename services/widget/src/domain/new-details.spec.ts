import { expect } from 'chai';
import { type KnownPerson, newDetailsOf } from './new-details.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', name: 'Ada Lovelace' };
const adaKnown: KnownPerson = { ...ada, email: 'ada@acme.example' };
const boot = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  fullName: 'Ada Lovelace',
  email: 'ada@acme.example',
};

describe('what a boot tells of its user', () => {
  it('is all of the details of somebody who is not known', () => {
    expect(newDetailsOf(boot, undefined)).to.eql(adaKnown);
  });

  it('is nothing when all of it is known, whatever else is', () => {
    expect(newDetailsOf(boot, adaKnown)).to.equal(undefined);
    expect(newDetailsOf({ firstName: 'Ada', lastName: 'Lovelace' }, adaKnown)).to.equal(undefined);
    expect(newDetailsOf({}, undefined)).to.equal(undefined);
    expect(newDetailsOf({}, adaKnown)).to.equal(undefined);
  });

  it('is everything again when one thing has changed', () => {
    const moved = { ...boot, email: 'ada@other.example' };
    expect(newDetailsOf(moved, adaKnown)).to.eql({ ...ada, email: 'ada@other.example' });
    expect(newDetailsOf(boot, { ...adaKnown, firstName: null })).to.eql(adaKnown);
  });

  it('makes the whole name of its parts where it is not given', () => {
    const { fullName: _, ...parts } = boot;
    expect(newDetailsOf(parts, undefined)).to.include({ name: 'Ada Lovelace' });
    expect(newDetailsOf({ lastName: 'Lovelace' }, undefined)).to.eql({
      name: 'Lovelace',
      lastName: 'Lovelace',
    });
  });

  it('takes an empty text for an absent one', () => {
    const empty = { firstName: '', lastName: ' ', fullName: '', email: '' };
    expect(newDetailsOf(empty, undefined)).to.equal(undefined);
    expect(newDetailsOf({ ...boot, fullName: '' }, undefined)).to.eql(adaKnown);
  });

  it('leaves out an e-mail address that is none', () => {
    expect(newDetailsOf({ ...boot, email: 'not an address' }, undefined)).to.eql(ada);
    expect(newDetailsOf({ email: 'not an address' }, undefined)).to.equal(undefined);
  });
});

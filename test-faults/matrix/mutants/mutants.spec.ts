import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { repository } from '../../../deploy/local/state-dir.ts';
import { invariants, type Judged, judgeEvidence } from '../checker/check.ts';
import { goodEvidence } from '../checker/some-evidence.ts';
import { nemeses } from '../nemeses.ts';
import { nextRelease } from '../nemeses/newer-record.ts';
import { judgeMutant } from './judge-mutant.ts';
import { mutate } from './mutant.ts';
import { mutants } from './mutants.ts';

describe('the mutants of the product', () => {
  it('are at least twenty, each with a name of its own', () => {
    expect(mutants.length).to.be.at.least(20);
    expect(new Set(mutants.map(({ name }) => name)).size).to.equal(mutants.length);
  });

  for (const mutant of mutants) {
    it(`${mutant.name}: its text is there once, what stands there instead is code, its row exists`, () => {
      const source = readFileSync(join(repository, mutant.file), 'utf8');
      const mutated = mutate(source, mutant);
      expect(mutated).to.not.equal(source);
      expect(() => stripTypeScriptTypes(mutated)).to.not.throw();
      expect(nemeses.map(({ name }) => name)).to.include(mutant.row);
      const numbers = invariants.map(({ number }) => number);
      expect(mutant.promises.length).to.be.above(0);
      expect(numbers).to.include.members([...mutant.promises]);
    });
  }

  it('no longer apply when their text is gone, or is there twice', () => {
    const [mutant] = mutants;
    expect(() => mutate('', mutant!)).to.throw(`mutant ${mutant!.name} no longer applies`);
    expect(() => mutate(mutant!.from.repeat(2), mutant!)).to.throw('is 2 times in');
  });
});

describe('the next release', () => {
  it('is made of edits that apply to the present source', () => {
    for (const edit of nextRelease) {
      const source = readFileSync(join(repository, edit.file), 'utf8');
      expect(() => stripTypeScriptTypes(mutate(source, edit))).to.not.throw();
    }
  });
});

describe('a mutant', () => {
  function judgedWith(broken: Record<number, string[]>): Judged {
    const judged = judgeEvidence(goodEvidence());
    for (const { number, verdict } of judged.verdicts)
      verdict.broken.push(...(broken[number] ?? []));
    return judged;
  }

  it('is caught by a counterexample of a promise that it breaks', () => {
    const { isCaught, red, why } = judgeMutant(
      { promises: [1, 3] },
      judgedWith({ 3: ['two events'], 9: ['other'] }),
    );
    expect(isCaught).to.equal(true);
    expect(why).to.equal('I3: two events');
    expect(red).to.deep.equal([
      { number: 3, first: 'two events' },
      { number: 9, first: 'other' },
    ]);
  });

  it('is not caught by another promise, or when all is green', () => {
    const other = judgeMutant({ promises: [1] }, judgedWith({ 3: ['two events'] }));
    expect(other.isCaught).to.equal(false);
    expect(other.why).to.equal('no counterexample of I1');
    const green = judgeMutant({ promises: [1] }, judgedWith({}));
    expect(green).to.deep.equal({ isCaught: false, red: [], why: 'everything is green' });
  });

  it('is not caught by a row that was not run', () => {
    const evidence = goodEvidence();
    evidence.row.fired = [];
    const judged = judgeEvidence(evidence);
    judged.verdicts[0]!.verdict.broken.push('an event is lost');
    expect(judgeMutant({ promises: [1] }, judged).why).to.equal('its fault was never done');
  });

  it('is not caught by what could not be judged, or of which there is nothing', () => {
    const judged = judgedWith({ 6: ['it cannot be judged: no JSON'] });
    judged.verdicts[2]!.verdict.judged = 0;
    const { isCaught, red } = judgeMutant({ promises: [3, 6] }, judged);
    expect(isCaught).to.equal(false);
    expect(red.map(({ number }) => number)).to.deep.equal([3, 6]);
  });

  it('is caught by a system that never recovers only when it is about that', () => {
    const judged = judgedWith({ 7: ['never done: 3 records not read'] });
    expect(judgeMutant({ promises: [7] }, judged).isCaught).to.equal(false);
    expect(judgeMutant({ promises: [7], hangs: true }, judged).isCaught).to.equal(true);
  });
});

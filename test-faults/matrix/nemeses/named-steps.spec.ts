import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { expect } from 'chai';
import { repository } from '../../../deploy/local/state-dir.ts';
import { placeOf } from '../breakpoint.ts';
import * as named from './named-steps.ts';

describe('the named steps of processes', () => {
  for (const [list, steps] of Object.entries(named)) {
    it(`${list}: each has a name of its own`, () => {
      expect(steps).to.not.have.length(0);
      expect(new Set(steps.map(({ name }) => name)).size).to.equal(steps.length);
    });

    for (const step of steps) {
      it(`${list}: the text of "${step.name}" is there once, what is asked there is code`, () => {
        const source = readFileSync(join(repository, step.file), 'utf8');
        expect(() => placeOf(source, step)).to.not.throw();
        for (const asked of [step.when ?? 'true', step.inHand]) {
          expect(() => new Script(`(${asked})`)).to.not.throw();
        }
      });
    }
  }
});

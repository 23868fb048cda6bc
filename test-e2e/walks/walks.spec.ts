import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedDemo } from '../shared-stack.ts';
import { runWalk } from './run-walk.ts';
import { walkOf } from './steps-of.ts';

/** Pages whose commands are run, with how many of their blocks may say why they are not. */
const pages = { 'README.md': 1, 'docs/integration.md': 0, 'docs/tour.md': 9 };

describe('the commands of the pages', function () {
  this.timeout(600_000);
  let demo: Demo;
  before(async () => {
    demo = await sharedDemo();
  });

  for (const [page, most] of Object.entries(pages)) {
    it(`${page}: each runs, and prints what the page shows`, async () => {
      const { steps, left } = walkOf(await readFile(page, 'utf8'));
      expect(steps).not.to.have.lengthOf(0);
      expect(left.length, left.join('; ')).to.be.at.most(most);
      const differs = (await runWalk(steps, demo)).map(
        ({ step, printed, code }) =>
          `line ${step.line}, exit code ${code}:\n${step.script}\nprinted\n${printed}`,
      );
      expect(differs, differs.join('\n\n')).to.deep.equal([]);
    });
  }
});

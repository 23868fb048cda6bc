import { isLong } from '@tributary/testkit/long-run';
import { expect } from 'chai';
import { glob, readFile } from 'node:fs/promises';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedDemo, sharedStripe } from '../shared-stack.ts';
import { pages } from './pages.ts';
import { runWalk } from './run-walk.ts';
import { walkOf } from './steps-of.ts';

describe('the commands of the pages', function () {
  this.timeout(600_000);
  let demo: Demo;
  let stripeUrl: string;
  before(async () => {
    demo = await sharedDemo();
    stripeUrl = (await sharedStripe()).url;
  });

  it('are those of every page that has any', async () => {
    const found: string[] = [];
    for await (const page of glob(['README.md', 'docs/*.md', 'docs/runbooks/*.md'])) {
      const { steps, left } = walkOf(await readFile(page, 'utf8'));
      if (steps.some(({ isFile }) => !isFile) || left.length > 0) found.push(page);
    }
    expect(found).to.have.members(Object.keys(pages));
  });

  for (const [page, { left: marked = 0, isLong: takesLong = false, ...ground }] of Object.entries(
    pages,
  )) {
    if (takesLong && !isLong) continue;
    it(`${page}: each runs, and prints what the page shows`, async () => {
      const { steps, left } = walkOf(await readFile(page, 'utf8'));
      expect(left.length, left.join('; ')).to.equal(marked);
      const differs = (await runWalk(steps, { demo, stripeUrl, ...ground })).map(
        ({ step, printed, code }) =>
          `line ${step.line}, exit code ${code}:\n${step.script}\nprinted\n${printed}`,
      );
      expect(differs, differs.join('\n\n')).to.deep.equal([]);
    });
  }
});

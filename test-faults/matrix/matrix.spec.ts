import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import { isGreen, judgeEvidence } from './checker/check.ts';
import { nemeses } from './nemeses.ts';
import { linesOf } from './report.ts';
import { runRow } from './run-row.ts';

/** One row of `npm run faults`; the others are run by hand and with --long. */
describe('the fault matrix', function () {
  this.timeout(300_000);

  it('sees every promise kept while attribution is killed under load', async () => {
    const number = nemeses.findIndex(({ name }) => name === 'kill-attribution') + 1;
    const nemesis = nemeses[number - 1]!;
    const progress = () => undefined;
    const evidence = await runRow({ number, nemesis, seed: testSeed, windowMs: 5_000, progress });
    const judged = judgeEvidence(evidence);
    const lines = linesOf(evidence, judged, 'nowhere: this is a test');
    expect(isGreen(judged), lines.join('\n')).to.equal(true);
    expect(evidence.requests.filter(({ outcome }) => outcome === 'ok').length).to.be.above(50);
    console.log(`      ${lines[0]}`);
  });
});

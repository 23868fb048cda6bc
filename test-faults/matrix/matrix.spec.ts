import { isLong } from '@tributary/testkit/long-run';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import { isGreen, judgeEvidence } from './checker/check.ts';
import { nemeses } from './nemeses.ts';
import { linesOf } from './report/lines.ts';
import { runRow } from './run-row.ts';

/**
 * Those that take a minute on an idle machine; the seed of the run says which it is. A long run
 * does all there are.
 */
const quick = ['kill-rewards', 'flush-redis', 'kill-attribution', 'kill-ingest-api', 'kill-redis'];

describe('the fault matrix', function () {
  this.timeout(900_000);
  const interrupted = new AbortController();
  after(() => interrupted.abort(new Error('the test is over')));

  const short = quick[testSeed % quick.length];
  for (const [index, nemesis] of nemeses.entries()) {
    if (!isLong && nemesis.name !== short) continue;
    it(`${nemesis.name}: the fault is done, and every promise is judged and kept`, async () => {
      const evidence = await runRow({
        ...{ number: index + 1, nemesis, seed: testSeed, windowMs: 6_000 },
        progress: () => undefined,
        signal: interrupted.signal,
      });
      const judged = judgeEvidence(evidence);
      const said = linesOf(evidence, judged, '(not kept)').join('\n');
      expect(isGreen(judged), said).to.equal(true);
    });
  }
});

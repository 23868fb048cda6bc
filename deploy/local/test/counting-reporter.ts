import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Mocha's spec reporter, which also leaves the counts in a file for the test runner. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const { countsFile } = options.reporterOptions as { countsFile: string };
    runner.once('end', () => {
      const { passes, failures } = this.stats;
      writeFileSync(countsFile, JSON.stringify({ passed: passes, failed: failures }));
    });
  }
}

// Mocha loads a reporter from a file by its default export.
export default CountingReporter;

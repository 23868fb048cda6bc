import Mocha from 'mocha';
import { printError } from './failure.ts';
import {
  appendFailure,
  appendTiming,
  markEnded,
  writeAlive,
  writeProgress,
} from './stage-files.ts';
import { printWhatIsAlive } from './still-alive.ts';

/** Mocha's spec reporter, which also leaves counts and failures for the test runner. */
class RecordingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const { dir, lookAfterMs } = options.reporterOptions as { dir: string; lookAfterMs: string };
    const progress = (running: string) => {
      writeProgress(dir, { passed: this.stats.passes, running });
    };
    runner.on('test', (test) => progress(test.fullTitle()));
    runner.on('hook', (hook) => progress(hook.fullTitle()));
    for (const end of ['test end', 'hook end'] as const) {
      runner.on(end, (done: Mocha.Runnable) => {
        const { duration: ms = 0 } = done;
        appendTiming(dir, { file: fileOf(done), title: done.fullTitle(), ms });
      });
    }
    // After the base class, which makes text of what the error compared.
    runner.on('fail', (test, error: Error) => {
      appendFailure(dir, {
        title: `${test.fullTitle()} (${fileOf(test)})`,
        details: printError(error, Mocha.reporters.Base.generateDiff),
      });
    });
    runner.once('end', () => {
      progress('');
      markEnded(dir);
      setTimeout(() => writeAlive(dir, printWhatIsAlive()), Number(lookAfterMs)).unref();
    });
  }
}

function fileOf(test: Mocha.Runnable): string {
  return test.file?.replace(`${process.cwd()}/`, '') ?? 'no file';
}

// Mocha loads a reporter from a file by its default export.
export default RecordingReporter;

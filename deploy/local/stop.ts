import { stopDocker } from './docker-stack.ts';
import { endRun, readRun, removeRun } from './run-file.ts';
import { stateDirFrom } from './state-dir.ts';

/** `npm run stop`: stops what runs from this state directory. */
const { runFile } = stateDirFrom(process.env);
const run = readRun(runFile);
if (run === undefined) {
  console.log('not running');
} else {
  if (run.infra === 'docker') await stopDocker();
  else await endRun(run);
  removeRun(runFile);
  console.log('stopped');
}

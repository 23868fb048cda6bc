import { isAlive } from '@tributary/native-servers/process-tree';
import { startDocker } from './docker-stack.ts';
import { startInBackground } from './start-in-background.ts';
import { runNative } from './run-native.ts';
import { endRun, readRun, removeRun } from './run-file.ts';
import { stateDirFrom } from './state-dir.ts';

/**
 * `npm start`: the whole system on this machine, the main job played once. In the foreground until
 * Ctrl-C, or with `--detach` in the background until `npm run stop`.
 */
const background = process.argv.includes('--in-background');
const detach = process.argv.includes('--detach');
const docker = process.env['TRIBUTARY_INFRA'] === 'docker';
const state = stateDirFrom(process.env);

try {
  if (!background) await clearTheWay();
  if (docker) await startDocker({ state, detach });
  else if (detach) await startInBackground(state);
  else await runNative({ state, env: process.env });
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

/** Refuses a second stack, and ends what a stack that was killed left behind. */
async function clearTheWay() {
  const run = readRun(state.runFile);
  if (run === undefined) return;
  const lives = run.stack !== undefined && (await isAlive(run.stack));
  if (lives || run.infra === 'docker') {
    throw new Error('already running: see `npm run status`, stop it with `npm run stop`');
  }
  console.log('ending what an earlier run left behind');
  await endRun(run);
  removeRun(state.runFile);
}

import { chmodSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { capture, compose } from './compose-command.ts';
import { removeRun, writeRun } from './run-file.ts';
import { makeStateDir, type StateDir } from './state-dir.ts';

/**
 * The same as the native start, by docker-compose.yml: brings it up, shows what its `demo` job
 * printed, takes the demo file over, and takes it down on Ctrl-C. The data stays on its volumes.
 */
export async function startDocker(options: { state: StateDir; detach: boolean }): Promise<void> {
  const { state, detach } = options;
  const stopSignal = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve());
  });
  makeStateDir(state);
  writeRun(state.runFile, { infra: 'docker', state: 'ready', processes: [] });
  try {
    await Promise.race([bringUp(state), stopSignal.then(givenUp)]);
    if (detach) return console.log('Running in the background: npm run status, npm run stop');
    console.log('Ctrl-C stops everything.');
    await heldUntil(stopSignal);
  } catch (error) {
    console.log(await capture(['logs', '--tail', '10']).catch(() => ''));
    await stopDocker();
    removeRun(state.runFile);
    throw error;
  }
  await stopDocker();
  removeRun(state.runFile);
  console.log('stopped');
}

async function bringUp(state: StateDir): Promise<void> {
  await compose(['up', '--detach', '--build', '--remove-orphans']);
  const code = await exitCodeOf('demo');
  console.log(await capture(['logs', '--no-log-prefix', '--no-color', 'demo']));
  if (code !== 0) throw new Error(`the demo job ended with code ${code}`);
  await capture(['cp', 'demo:/deployment/demo.json', state.demoFile]);
  chmodSync(state.demoFile, 0o600);
  console.log(`What to use it with: ${state.demoFile}`);
}

/** Waits for the end of a job. `docker compose wait` knows no job that has ended already. */
async function exitCodeOf(job: string): Promise<number> {
  for (;;) {
    const text = await capture(['ps', '--all', '--format', 'json', job]);
    const { State: state, ExitCode: code } = JSON.parse(text) as ContainerState;
    if (state === 'exited') return code;
    await delay(200);
  }
}

type ContainerState = { State: string; ExitCode: number };

function givenUp(): never {
  throw new Error('start given up, everything is stopped');
}

/** A promise alone keeps no process alive. */
async function heldUntil(signal: Promise<void>): Promise<void> {
  const hold = setInterval(() => undefined, 60_000);
  await signal;
  clearInterval(hold);
}

export async function stopDocker(): Promise<void> {
  await compose(['down']);
}

export async function removeDockerVolumes(): Promise<void> {
  await compose(['down', '--volumes']);
}

export async function showDockerStatus(): Promise<void> {
  await compose(['ps', '--all']);
}

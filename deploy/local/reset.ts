import { rmSync } from 'node:fs';
import { removeDockerVolumes } from './docker-stack.ts';
import { endRun, readRun } from './run-file.ts';
import { stateDirFrom } from './state-dir.ts';

/** `npm run reset`: stops what runs, then wipes data, secrets and logs of this state directory. */
const state = stateDirFrom(process.env);
const run = readRun(state.runFile);
if (run !== undefined) {
  console.log('stopping first');
  await endRun(run);
}
if (run?.infra === 'docker' || process.env['TRIBUTARY_INFRA'] === 'docker') {
  await removeDockerVolumes();
}
const { secretsFile, passwordsFile, certificatesFile, authorityFile } = state;
const { provisionedFile, demoFile, runFile } = state;
const files = [
  ...[secretsFile, passwordsFile, certificatesFile, authorityFile],
  ...[provisionedFile, demoFile, runFile],
];
for (const path of [state.data, state.logs, state.compiled, ...files]) {
  rmSync(path, { recursive: true, force: true });
}
console.log(`wiped ${state.root}`);

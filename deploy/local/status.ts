import { connect } from 'node:net';
import { isAlive } from '@tributary/native-servers/process-tree';
import { showDockerStatus } from './docker-stack.ts';
import { readRun, type Run, type RunningProcess } from './run-file.ts';
import { stateDirFrom } from './state-dir.ts';

/**
 * `npm run status`: every server and service with pid, port and state; code 1 when not all ready.
 */
const run = readRun(stateDirFrom(process.env).runFile);
if (run === undefined) {
  console.log('not running');
  process.exitCode = 1;
} else if (run.infra === 'docker') {
  await showDockerStatus();
} else {
  await showProcesses(run);
}

async function showProcesses(run: Run) {
  const rows = await Promise.all(
    run.processes.map(async (entry) => ({ ...entry, state: await stateOf(entry) })),
  );
  if (run.stack !== undefined && !(await isAlive(run.stack)))
    console.log('the stack process is gone; `npm run stop` ends the rest');
  for (const { name, pid, port, adminPort, state } of rows) {
    const ports = [port, adminPort && `admin ${adminPort}`].filter(Boolean).join(', ');
    console.log(`${name.padEnd(20)} pid ${String(pid).padEnd(8)} ${ports.padEnd(18)} ${state}`);
  }
  if (rows.some(({ state }) => state !== 'ready')) process.exitCode = 1;
}

async function stateOf(entry: RunningProcess): Promise<string> {
  if (!(await isAlive(entry))) return 'gone';
  if (entry.adminPort !== undefined) return readiness(entry.adminPort);
  return (await accepts(entry.port ?? 0)) ? 'ready' : 'does not accept connections';
}

/** `ready`, or the checks that fail. */
async function readiness(adminPort: number): Promise<string> {
  const url = `http://127.0.0.1:${adminPort}/readyz?all`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
  if (answer === undefined) return 'does not answer';
  const text = await answer.text();
  return answer.status === 200 ? 'ready' : `not ready: ${text}`;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 2_000 });
    const end = (outcome: boolean) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { topics } from '@tributary/contracts/topics';
import { freePorts } from '@tributary/testkit/free-port';
import type { Stack } from '../../deploy/local/stack.ts';

const script = fileURLToPath(new URL('server.ts', import.meta.url));
const floorScript = fileURLToPath(new URL('floor/floor-server.ts', import.meta.url));
const bareScript = fileURLToPath(new URL('bare-server.ts', import.meta.url));

export type Server = { url: string; pid: number; stop(): Promise<void> };

/** One ingest-api on the first core, against the servers of the stack. */
export async function startServer(
  stack: Stack,
  mode: string,
  nodeFlags: readonly string[] = [],
  more: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const [port, adminPort] = (await freePorts(2)) as [number, number];
  const variables = { ...portVariables(port, adminPort), ...more };
  const command = [process.execPath, ...nodeFlags, script, mode];
  return startOnFirstCore(stack, { command, variables, port, readyPort: adminPort });
}

/** What `go/main.go` was built to, in the place of ingest-api. */
export async function startGoServer(
  stack: Stack,
  { program, token }: { program: string; token: string },
): Promise<Server> {
  const [port] = (await freePorts(1)) as [number];
  const prefix = stack.services['ingest-api'].env['TRIBUTARY_TOPIC_PREFIX'] ?? '';
  const variables = {
    GOMAXPROCS: '1',
    ADDRESS: `127.0.0.1:${port}`,
    TOKEN: token,
    TOPIC: `${prefix}${topics.events.name}`,
  };
  return startOnFirstCore(stack, { command: [program], variables, port, readyPort: port });
}

/** `bare-server.ts`, in the place of ingest-api. */
export async function startBareServer(stack: Stack): Promise<Server> {
  const [port] = (await freePorts(1)) as [number];
  const command = [process.execPath, bareScript, String(port)];
  return startOnFirstCore(stack, { command, variables: {}, port, readyPort: port });
}

/** `floor/floor-server.ts`, in the place of ingest-api. */
export async function startFloorServer(
  stack: Stack,
  mode: 'appender' | 'own-encoder',
): Promise<Server> {
  const [port, adminPort] = (await freePorts(2)) as [number, number];
  const variables = portVariables(port, adminPort);
  const command = [process.execPath, floorScript, mode];
  return startOnFirstCore(stack, { command, variables, port, readyPort: port });
}

function portVariables(port: number, adminPort: number): NodeJS.ProcessEnv {
  return {
    TRIBUTARY_HOST: '127.0.0.1',
    TRIBUTARY_PORT: String(port),
    TRIBUTARY_ADMIN_PORT: String(adminPort),
    TRIBUTARY_LOG_LEVEL: 'error',
  };
}

async function startOnFirstCore(
  stack: Stack,
  options: {
    command: readonly string[];
    variables: NodeJS.ProcessEnv;
    port: number;
    readyPort: number;
  },
): Promise<Server> {
  const { command, variables, port, readyPort } = options;
  const child = spawn('taskset', ['-c', '0', ...command], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'], ...stack.services['ingest-api'].env, ...variables },
  });
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  for (const deadline = Date.now() + 30_000; ; await delay(100)) {
    const answer = await fetch(`http://127.0.0.1:${readyPort}/readyz?all`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) break;
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error(`${command.join(' ')} does not get ready`);
    }
  }
  // taskset becomes the process it starts.
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@tributary/testkit/free-port';
import type { Stack } from '../../deploy/local/stack.ts';

const script = fileURLToPath(new URL('server.ts', import.meta.url));

export type Server = { url: string; pid: number; stop(): Promise<void> };

/** One ingest-api on the first core, against the servers of the stack. */
export async function startServer(
  stack: Stack,
  mode: string,
  nodeFlags: readonly string[] = [],
): Promise<Server> {
  const [port, adminPort] = (await freePorts(2)) as [number, number];
  const child = spawn('taskset', ['-c', '0', process.execPath, ...nodeFlags, script, mode], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      ...stack.services['ingest-api'].env,
      TRIBUTARY_HOST: '127.0.0.1',
      TRIBUTARY_PORT: String(port),
      TRIBUTARY_ADMIN_PORT: String(adminPort),
      TRIBUTARY_LOG_LEVEL: 'error',
    },
  });
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  for (const deadline = Date.now() + 30_000; ; await delay(100)) {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) break;
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error(`the ${mode} server does not get ready`);
    }
  }
  // taskset becomes the process it starts.
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop };
}

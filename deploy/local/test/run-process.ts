import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

export type Ending = 'ok' | 'failed' | 'too-long' | 'did-not-end';

/**
 * Runs Node on a script and passes on what it says. It is killed when it runs longer than the
 * limit, and when `isDone` says that its work is done but it does not end within `lingerMs`: then
 * something of it, a timer or a connection, was never closed.
 */
export async function runProcess(
  args: readonly string[],
  options: {
    env: NodeJS.ProcessEnv;
    limitMs: number;
    signal: AbortSignal;
    write: (text: string) => void;
    isDone?: () => boolean;
    lingerMs?: number;
  },
): Promise<Ending> {
  const { env, limitMs, signal, write, isDone = () => false, lingerMs = 0 } = options;
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', write);
  const stop = () => child.kill('SIGINT');
  signal.addEventListener('abort', stop);

  const ended = new AbortController();
  let forced: Ending | undefined;
  void watch();
  async function watch(): Promise<void> {
    const startedAt = Date.now();
    let doneAt: number | undefined;
    while (!ended.signal.aborted && forced === undefined) {
      if (isDone()) doneAt ??= Date.now();
      if (doneAt !== undefined && Date.now() - doneAt > lingerMs) forced = 'did-not-end';
      if (Date.now() - startedAt > limitMs) forced = 'too-long';
      await delay(250, undefined, { signal: ended.signal }).catch(() => undefined);
    }
    if (!ended.signal.aborted) child.kill('SIGKILL');
  }

  const closed = new Promise((resolve) => child.once('close', resolve));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  ended.abort();
  signal.removeEventListener('abort', stop);
  // What it started and left behind may hold its output open for ever.
  await Promise.race([closed, delay(drainMs)]);
  child.stdout.destroy();
  child.stderr.destroy();
  return forced ?? (code === 0 ? 'ok' : 'failed');
}

const drainMs = 2_000;

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { withPrivileges } from '@tributary/native-servers/run-as';
import { eventually } from '@tributary/testkit/eventually';

export type InjectedFault = {
  /** What the processes asked for and got, a line each, as strace writes it. */
  lines(): string[];
  /** Lets the processes go, and resolves when they are on their own again. */
  end(): Promise<void>;
};

/**
 * Has the kernel's answers to system calls of running processes be late or wrong, by strace: `how`
 * is what its `inject` takes. It ends with this process.
 *
 * @throws when a process may not be traced here.
 */
export async function injectFault(options: {
  pids: readonly number[];
  calls: string;
  how: string;
  /** Processes that they start are traced, too. */
  follow: boolean;
}): Promise<InjectedFault> {
  const { pids, calls, how, follow } = options;
  const [command, ...args] = await withPrivileges(
    [
      ...(['strace', ...(follow ? ['-f'] : [])] as [string, ...string[]]),
      ...['-e', `trace=${calls}`, '-e', `inject=${calls}:${how}`, '-e', 'signal=none'],
      ...pids.flatMap((pid) => ['-p', String(pid)]),
    ],
    { parentDeathSignal: 'SIGTERM' },
  );
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written += text));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const end = async () => {
    if (isRunning()) child.kill('SIGTERM');
    await exited;
  };
  try {
    await eventually(() => {
      const isDone = (pid: number) =>
        written.includes(`Process ${pid} attached`) ||
        // It has ended meanwhile.
        written.includes(`(PTRACE_SEIZE, ${pid}): No such process`);
      if (!pids.every(isDone)) throw new Error(`strace is not attached: ${written}`);
    });
  } catch (error) {
    await end();
    throw error;
  }
  return { lines: () => written.split('\n'), end };
}

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SpoolTask } from '../spool/spool-part.ts';
import { HistoryRefused } from '../types.ts';
import type { FoldSetup, FromWorker, ToWorker } from './messages.ts';

type Work = { spool: SpoolTask } | { task: string; input: unknown };

/** Processes that do tasks, one at a time each. */
export type Pool = {
  readonly pids: readonly number[];
  begin(setup: Omit<FoldSetup, 'part' | 'parts'>): void;
  /** Rejects when the task fails, when its process dies, and after `stop`. */
  run(work: Work): Promise<unknown>;
  /** While held, no task is begun, and reading stands still. */
  hold(held: boolean): void;
  stop(reason?: unknown): Promise<void>;
};

/** One of the processes needed more than it may have. */
export class OutOfMemory extends Error {}

const program = fileURLToPath(new URL('worker.ts', import.meta.url));

export function createPool(options: {
  workers: number;
  /** For old objects, in each process. */
  heapMb: number;
  onRead: (records: number) => void;
}): Pool {
  const { workers, heapMb, onRead } = options;
  const queue: { work: Work; done: PromiseWithResolvers<unknown> }[] = [];
  const children = Array.from({ length: workers }, () => start());
  let held = false;
  let failure: unknown;
  let lastId = 0;

  type Child = {
    process: ChildProcess;
    ended: Promise<void>;
    current?: { id: number; done: PromiseWithResolvers<unknown> };
  };

  function start(): Child {
    const child = fork(program, [], {
      execArgv: [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=16'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const own: Child = { process: child, ended };
    child.on('message', (message: FromWorker) => onMessage(own, message));
    child.once('error', fail);
    child.once('exit', (code, signal) => {
      const Failure = signal === 'SIGABRT' || code === 134 ? OutOfMemory : Error;
      fail(new Failure(`a process of the fold ended: ${signal ?? `code ${code}`}`));
      resolve();
    });
    return own;
  }

  function onMessage(child: Child, message: FromWorker): void {
    if ('read' in message) return onRead(message.read);
    const { current } = child;
    if (!current || current.id !== message.id) return;
    delete child.current;
    if ('failed' in message) current.done.reject(errorOf(message.failed));
    else current.done.resolve(message.result);
    next();
  }

  /** Nothing goes on without one of the processes: what it was to write is missing. */
  function fail(reason: unknown): void {
    failure ??= reason;
    for (const { done } of queue.splice(0)) done.reject(failure);
    for (const child of children) {
      child.current?.done.reject(failure);
      delete child.current;
    }
  }

  function next(): void {
    if (held) return;
    for (const child of children) {
      if (child.current || queue.length === 0) continue;
      const { work, done } = queue.shift()!;
      child.current = { id: ++lastId, done };
      tell(child, { id: lastId, ...work });
    }
  }

  const tell = ({ process }: Child, message: ToWorker) => process.send(message, () => undefined);

  return {
    pids: children.flatMap((child) => child.process.pid ?? []),
    begin(setup) {
      for (const [part, child] of children.entries()) {
        tell(child, { begin: { ...setup, part, parts: workers } });
      }
    },
    run(work) {
      const done = Promise.withResolvers<unknown>();
      if (failure !== undefined) done.reject(failure);
      else queue.push({ work, done });
      next();
      return done.promise;
    },
    hold(hold) {
      if (hold === held) return;
      held = hold;
      for (const child of children) tell(child, { hold });
      next();
    },
    async stop(reason = new Error('stopped')) {
      const idle = children.filter((child) => !child.current);
      fail(reason);
      // What it has written of a task that nobody waits for is of no use.
      for (const child of children) {
        if (idle.includes(child) && child.process.connected) child.process.disconnect();
        else child.process.kill('SIGKILL');
      }
      await Promise.all(children.map((child) => child.ended));
    },
  };
}

function errorOf({
  message,
  refused,
  stack,
}: {
  message: string;
  refused: boolean;
  stack?: string | undefined;
}) {
  const error = refused ? new HistoryRefused(message) : new Error(message);
  if (stack !== undefined && !refused) error.stack = stack;
  return error;
}

import { fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A program of this benchmark in a process of its own, which answers questions. */
export type Child = {
  pid: number;
  ask(name: string, argument?: unknown): Promise<unknown>;
  /** At once: what it held is of no use to anybody. */
  kill(): Promise<void>;
};

/** @param settings what `serveQuestions` of the program is called with */
export async function startChild(options: {
  script: string;
  settings: unknown;
  logFile: string;
  nodeOptions?: string | undefined;
}): Promise<Child> {
  const { script, settings, logFile, nodeOptions } = options;
  const log = openSync(logFile, 'a', 0o600);
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), [JSON.stringify(settings)], {
    stdio: ['ignore', log, log, 'ipc'],
    env: {
      PATH: process.env['PATH'] ?? '',
      ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
    },
  });
  closeSync(log);
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let asked = 0;
  let gone: Error | undefined;

  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      gone = new Error(`${script} ended (${signal ?? `code ${code}`}); see ${logFile}`);
      for (const { reject } of waiting.values()) reject(gone);
      resolve();
    });
  });
  child.on('message', ({ id, value, error }: Reply) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve(value);
    else one?.reject(new Error(`${script}: ${error}`));
  });

  function ask(name: string, argument?: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      const id = asked++;
      waiting.set(id, { resolve, reject });
      child.send({ id, name, argument } satisfies Question);
    });
  }

  await ask('ready');
  return {
    pid: child.pid ?? -1,
    ask,
    async kill() {
      child.kill(nodeOptions === undefined ? 'SIGKILL' : 'SIGTERM');
      await exited;
    },
  };
}

export type Question = { id: number; name: string; argument: unknown };
export type Reply = { id: number; value?: unknown; error?: string };

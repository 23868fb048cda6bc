import { patiently } from '@tributary/testkit/patience';

type Paused = {
  hitBreakpoints: string[];
  callFrames: {
    callFrameId: string;
    functionName: string;
    url: string;
    location: { lineNumber: number };
  }[];
};

type Message =
  | { id: number; result?: unknown; error?: { message: string } }
  | { method: string; params: unknown };

export type DebuggerSession = {
  /** @throws what the process answers, when it has ended, and when nothing comes for a while. */
  ask<Answer>(method: string, params?: object): Promise<Answer>;
  /** Resolves when it stands still for the first time. @throws at the deadline, or at its end. */
  paused(deadlineMs: number): Promise<Paused>;
  /** A process that stands still goes on, and none stops any more. */
  close(): void;
};

/**
 * As much of the DevTools protocol as it takes to stop a process at a line. The session lasts until
 * it is closed or the process is gone.
 */
export async function openDebugger(url: string): Promise<DebuggerSession> {
  const socket = new WebSocket(url);
  const asked = new Map<number, PromiseWithResolvers<unknown>>();
  const standstill = Promise.withResolvers<Paused>();
  // Who never waits for it has nothing to hear of its failure.
  standstill.promise.catch(() => undefined);
  let questions = 0;

  function hear(message: Message): void {
    if ('method' in message) {
      if (message.method === 'Debugger.paused') standstill.resolve(message.params as Paused);
      return;
    }
    const { id, result, error } = message;
    if (error === undefined) asked.get(id)?.resolve(result);
    else asked.get(id)?.reject(new Error(error.message));
    asked.delete(id);
  }

  socket.addEventListener('message', ({ data }) => hear(JSON.parse(String(data)) as Message));
  socket.addEventListener('close', () => {
    const ended = new Error('its debugger is gone');
    standstill.reject(ended);
    for (const { reject } of asked.values()) reject(ended);
  });
  const opened = Promise.withResolvers<void>();
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () => opened.reject(new Error(`no debugger answers at ${url}`)));
  await within(patiently(answerMs), opened, 'its debugger does not answer').catch(
    (error: unknown) => {
      socket.close();
      throw error;
    },
  );

  return {
    ask<Answer>(method: string, params: object = {}): Promise<Answer> {
      const answer = Promise.withResolvers<unknown>();
      questions += 1;
      asked.set(questions, answer);
      socket.send(JSON.stringify({ id: questions, method, params }));
      return within(patiently(answerMs), answer, `${method} was not answered`) as Promise<Answer>;
    },
    paused: (deadlineMs) => within(deadlineMs, standstill),
    close: () => socket.close(),
  };
}

/** It is asked on this machine, of a process that has nothing better to do. */
const answerMs = 10_000;

function within<T>(
  deadlineMs: number,
  { promise, reject }: PromiseWithResolvers<T>,
  what?: string,
): Promise<T> {
  const late = `not within ${deadlineMs / 1_000} s`;
  const timer = setTimeout(() => reject(new Error(what ? `${what}, ${late}` : late)), deadlineMs);
  return promise.finally(() => clearTimeout(timer));
}

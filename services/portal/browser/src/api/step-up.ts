import { useSyncExternalStore } from 'react';

// A request that needs the password waits here until the dialog of the shell is answered. Several
// at once wait for the same answer.

type Waiting = { promise: Promise<boolean>; answer: (given: boolean) => void };

let waiting: Waiting | undefined;
const listeners = new Set<() => void>();

/** Whether the password was given. */
export function askForPassword(): Promise<boolean> {
  if (waiting !== undefined) return waiting.promise;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  waiting = { promise, answer: resolve };
  notify();
  return promise;
}

/** Said by the dialog. */
export function answerStepUp(given: boolean): void {
  waiting?.answer(given);
  waiting = undefined;
  notify();
}

export function useStepUpAsked(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => waiting !== undefined,
  );
}

function notify(): void {
  for (const listener of listeners) listener();
}

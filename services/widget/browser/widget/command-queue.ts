import { TributaryError } from './tributary-error.ts';

/** What a page puts into the queue. It may be asynchronous; nobody waits for it. */
export type Command<Api> = (api: Api) => unknown;

/** What `window.Tributary` is: made by the page with an array, or by us without. */
export type QueueHolder<Api> = { cmd?: Command<Api>[] | CommandQueue<Api> };

/** In the array's place once the script is there: a command runs when it is pushed. */
export type CommandQueue<Api> = { push(...commands: Command<Api>[]): number };

type Reports = {
  /** Something of the page's own went wrong in a command. */
  onError(error: unknown): void;
  /** One of our promises was rejected, and the command did not catch it. */
  onRejection(error: TributaryError): void;
};

/**
 * Runs what the page has queued, in its order, and from now on at once. Each command stands for
 * itself: what one throws keeps no other from running.
 */
export function takeQueue<Api>(
  holder: QueueHolder<Api>,
  api: Api,
  { onError, onRejection }: Reports,
): void {
  const tell = (error: unknown): void => {
    if (error instanceof TributaryError) onRejection(error);
    else onError(error);
  };
  const run = async (command: Command<Api>): Promise<void> => {
    try {
      await command(api);
    } catch (error) {
      tell(error);
    }
  };
  const queued = Array.isArray(holder.cmd) ? (holder.cmd as Command<Api>[]) : [];
  const queue: CommandQueue<Api> = {
    push(...commands) {
      for (const command of commands) void run(command);
      return 0;
    },
  };
  // A page may have something else by our name, or have frozen it: no reason for an error in it.
  Reflect.set(Object(holder), 'cmd', queue);
  queue.push(...queued);
}

/** Whether another copy of the script has the page already. */
export function isTaken<Api>(holder: QueueHolder<Api> | undefined): boolean {
  return holder?.cmd !== undefined && !Array.isArray(holder.cmd);
}

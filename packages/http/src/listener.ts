import type { Health } from '@tributary/runtime/component';
import { type Listener, listen } from './server.ts';

/** A listener as a part of a process: it is healthy once it is open. */
export type ListenerComponent = {
  /** Resolves to its port, which the system chose when it was to be 0. */
  start(): Promise<number>;
  /** May be called at any moment of the start, or before it. */
  stop(): Promise<void>;
  health(): Health;
};

type ListenOptions = Parameters<typeof listen>[0];

export function createListener(
  { host, port, drainMs = 0 }: Pick<ListenOptions, 'host' | 'port' | 'drainMs'>,
  options: Omit<ListenOptions, 'host' | 'port' | 'drainMs'>,
): ListenerComponent {
  let opening: Promise<Listener> | undefined;
  let isOpen = false;
  let isStopped = false;
  return {
    async start() {
      if (isStopped) throw new Error('the listener was stopped before it was opened');
      opening = listen({ ...options, host, port, drainMs });
      const listener = await opening;
      isOpen = true;
      return listener.port;
    },
    async stop() {
      isStopped = true;
      const listener = await opening?.catch(() => undefined);
      await listener?.stop();
    },
    health: () => (isOpen ? { ok: true } : { ok: false, detail: 'not open yet' }),
  };
}

import type { TributaryClient } from '../../packages/client/src/client.ts';
import { TributaryProblem } from '../../packages/client/src/errors.ts';
import type { Report } from './report.ts';
import type { ShopStore } from './shop-store.ts';

const pauseMs = 2_000;

/**
 * Sends what the store has to report, one after the other and in order, and forgets each when it
 * was accepted. What could not be sent now is tried again later with the same key; what breaks the
 * contract would be refused for ever and hold up the rest, so it is told and dropped.
 */
export function createReporter(deps: {
  client: TributaryClient;
  store: ShopStore;
  say: (line: string) => void;
}) {
  const { client, store, say } = deps;
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;

  function wake(): void {
    clearTimeout(timer);
    if (stopped.signal.aborted) return;
    working ??= work().finally(() => {
      working = undefined;
      if (store.reports().length > 0 && !stopped.signal.aborted) timer = setTimeout(wake, pauseMs);
    });
  }

  async function work(): Promise<void> {
    for (let next = store.reports()[0]; next !== undefined; next = store.reports()[0]) {
      if (!(await sent(next))) return;
      store.reported(next);
    }
  }

  async function sent(report: Report): Promise<boolean> {
    try {
      const { eventId } = await send(client, report, stopped.signal);
      say(`reported ${report.key}: ${eventId}`);
      return true;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const isFinal = error instanceof TributaryProblem && [400, 409, 422].includes(error.status);
      if (!stopped.signal.aborted) {
        say(`${report.key} ${isFinal ? 'was refused' : 'waits'}: ${text}`);
      }
      return isFinal;
    }
  }

  return {
    /** After something was added. */
    wake,
    async stop() {
      stopped.abort();
      clearTimeout(timer);
      await working;
    },
  };
}

function send(client: TributaryClient, { key, type, body }: Report, signal: AbortSignal) {
  const options = { idempotencyKey: key, signal };
  switch (type) {
    case 'signup':
      return client.signupCreated(body, options);
    case 'purchase':
      return client.purchaseCreated(body, options);
    case 'refund':
      return client.purchaseRefunded(body, options);
  }
}

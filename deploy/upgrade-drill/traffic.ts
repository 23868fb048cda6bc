import { setTimeout as delay } from 'node:timers/promises';
import type { TributaryClient } from '../../packages/client/src/client.ts';
import { TributaryError, TributaryProblem } from '../../packages/client/src/errors.ts';
import type { Report } from './customers.ts';

export type Accepted = { eventId: string; tenantId: string };

/** What became of the requests of a customer who never gives up. */
export type Traffic = {
  accepted: Accepted[];
  /** Attempts without a 202, by what came instead. */
  tried: Record<string, number>;
  /** Reports that were not begun in time, because too many were under way. */
  late: number;
  /** The longest that nothing at all was accepted, in milliseconds. */
  longestPauseMs: number;
};

export function noTraffic(): Traffic {
  return { accepted: [], tried: {}, late: 0, longestPauseMs: 0 };
}

/** Sends until accepted, always the same bytes by the same key, as a queue of a backend would. */
export async function deliver(
  clients: Record<string, TributaryClient>,
  report: Report,
  traffic: Traffic,
  goesOn: () => boolean = () => true,
): Promise<void> {
  while (goesOn()) {
    try {
      const { eventId } = await send(clients[report.tenantId]!, report);
      traffic.accepted.push({ eventId, tenantId: report.tenantId });
      return;
    } catch (error) {
      if (!(error instanceof TributaryError)) throw error;
      const refused = error instanceof TributaryProblem ? error.status : 0;
      if (refused === 400 || refused === 409 || refused === 422) throw error;
      const what = refused === 0 ? 'no answer' : String(refused);
      traffic.tried[what] = (traffic.tried[what] ?? 0) + 1;
      await delay(250);
    }
  }
}

function send(client: TributaryClient, { eventType, body, idempotencyKey }: Report) {
  const options = { idempotencyKey, maxAttempts: 1 };
  const as = <T>() => body as T;
  if (eventType === 'signup-created') return client.signupCreated(as(), options);
  if (eventType === 'demo-attended') return client.demoAttended(as(), options);
  if (eventType === 'purchase-created') return client.purchaseCreated(as(), options);
  return client.purchaseRefunded(as(), options);
}

/** All of them, so many at a time. */
export async function deliverAll(
  clients: Record<string, TributaryClient>,
  reports: readonly Report[],
  atOnce: number,
): Promise<Traffic> {
  const traffic = noTraffic();
  const rest = [...reports].reverse();
  const lane = async () => {
    for (let report = rest.pop(); report !== undefined; report = rest.pop()) {
      await deliver(clients, report, traffic);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return traffic;
}

/**
 * A report after the other at a steady rate, whatever is answered, until `end` is called, which
 * waits until all are accepted; `giveUp` waits for none.
 */
export function startTraffic(
  clients: Record<string, TributaryClient>,
  next: () => Report,
  perSecond: number,
  /** Reports under way at once. */
  most = Infinity,
): {
  traffic: Traffic;
  setPace(perSecond: number): void;
  end(): Promise<Traffic>;
  giveUp(): void;
} {
  const traffic = noTraffic();
  const open = new Set<Promise<void>>();
  let failed: Error | undefined;
  let over = false;
  let lastAccepted = performance.now();
  let timer = setInterval(report, 1_000 / perSecond);
  function report(): void {
    if (open.size >= most) {
      traffic.late += 1;
      return;
    }
    const count = traffic.accepted.length;
    const sent = deliver(clients, next(), traffic, () => !over)
      .catch((error: Error) => void (failed ??= error))
      .then(() => {
        open.delete(sent);
        if (traffic.accepted.length === count) return;
        const now = performance.now();
        traffic.longestPauseMs = Math.max(traffic.longestPauseMs, now - lastAccepted);
        lastAccepted = now;
      });
    open.add(sent);
  }
  return {
    traffic,
    setPace(anew) {
      clearInterval(timer);
      timer = setInterval(report, 1_000 / anew);
    },
    async end() {
      clearInterval(timer);
      await Promise.all(open);
      if (failed !== undefined) throw failed;
      return traffic;
    },
    giveUp() {
      over = true;
      clearInterval(timer);
    },
  };
}

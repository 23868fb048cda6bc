import { createWriteStream } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../report.ts';
import { serveQuestions } from '../webhooks/serve-questions.ts';
import { createClients } from './clients.ts';

export type OfferSettings = {
  host: string;
  port: number;
  token: string;
  ucc: string;
  /** Where accepted events go: a line each of idempotency key and event id. */
  acceptedFile: string;
};

export type Offered = {
  seconds: number;
  sent: number;
  /** Requests that were due while every client waited for an answer. */
  heldBack: number;
  mostUnderWay: number;
  statuses: [number, number][];
  unanswered: [string, number][];
  /** Refusals by what they said. */
  refusals: [string, number][];
  /** By how much the load itself was late: the waits contain it. */
  lagP99Ms: number;
  p50Ms: number;
  p99Ms: number;
};

/** How often it looks what is due. */
const tickMs = 5;

/**
 * An open loop: each request begins when its time has come, whatever became of those before. Each
 * has an idempotency key of its own, is sent once, and never repeated.
 */
serveQuestions<OfferSettings>((settings) => {
  const { acceptedFile } = settings;
  const run = Date.now().toString(36);

  async function offer({ perSecond, seconds }: { perSecond: number; seconds: number }) {
    const accepted = createWriteStream(acceptedFile);
    const clients = createClients(settings);
    const statuses = new Map<number, number>();
    const unanswered = new Map<string, number>();
    const refusals = new Map<string, number>();
    const waits: number[] = [];
    const lag = monitorEventLoopDelay({ resolution: 5 });
    let sent = 0;
    let heldBack = 0;

    function send(): void {
      const key = `soak-${run}-${sent}`;
      const sentAt = performance.now();
      const isSent = clients.send(requestOf({ ...settings, key, n: sent }), (answer) => {
        if ('failure' in answer) return count(unanswered, answer.failure);
        count(statuses, answer.status);
        if (answer.status !== 202) return count(refusals, `${answer.status} ${saidIn(answer)}`);
        waits.push(performance.now() - sentAt);
        const { eventId } = JSON.parse(answer.body) as { eventId: string };
        accepted.write(`${key} ${eventId}\n`);
      });
      if (isSent) sent += 1;
      else heldBack += 1;
    }

    lag.enable();
    const startedAt = performance.now();
    const endsAt = startedAt + seconds * 1_000;
    for (let due = 0; performance.now() < endsAt; await delay(tickMs)) {
      const until = ((performance.now() - startedAt) / 1_000) * perSecond;
      for (; due < until; due += 1) send();
    }
    await clients.idle();
    accepted.end();
    await finished(accepted);
    return {
      ...{ seconds, sent, heldBack, mostUnderWay: clients.mostUnderWay() },
      statuses: [...statuses],
      unanswered: [...unanswered],
      refusals: [...refusals],
      lagP99Ms: lag.percentile(99) / 1e6,
      ...{ p50Ms: percentile(waits, 50), p99Ms: percentile(waits, 99) },
    } satisfies Offered;
  }
  return Promise.resolve({ offer });
});

function requestOf(of: OfferSettings & { key: string; n: number }): string {
  const { host, port, key, token, ucc, n } = of;
  const body = JSON.stringify({
    ucc,
    occurredAt: new Date().toISOString(),
    newUser: { id: `user-${n % 20_000}` },
    ...{ currency: 'EUR', invoiceId: key, amount: 4_900, subscription: { interval: 'monthly' } },
  });
  return (
    'POST /v2/events/purchase-created HTTP/1.1\r\n' +
    `Host: ${host}:${port}\r\n` +
    `Authorization: Bearer ${token}\r\nIdempotency-Key: ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** The sentence of a problem, without what differs from request to request. */
function saidIn({ body }: { body: string }): string {
  const { detail = '' } = JSON.parse(body) as { detail?: string };
  return detail.replaceAll(/\d+/g, 'N');
}

function count<T>(counts: Map<T, number>, what: T): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

import { setTimeout as delay } from 'node:timers/promises';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { call, purchase, tokenFor } from '../../test-e2e/calls.ts';
import { startWebhookSink, type WebhookSink } from '../../test-faults/webhook-sink.ts';
import { type Hop, hopsOf, readPassed } from './hop-times.ts';

const perSecond = 200;
const referrers = 1_000;
/** An answer about a code waits for the log, and for little else. */
const codesAtOnce = 25;

export type Latency = { p50Ms: number; p99Ms: number; count: number; hops: Hop[] };

/**
 * From the 202 to the webhook's arrival, purchase by purchase, each of a new user with one of a
 * thousand referrers, 200 a second. Which webhook belongs to which purchase is read from the log.
 * The first five seconds are left out.
 */
export async function measureLatency(
  stack: Stack,
  options: {
    seconds?: number;
    /** Told when what is measured begins, and when all of it has arrived. */
    onBegin?: () => Promise<void>;
    onEnd?: () => Promise<void>;
  } = {},
): Promise<Latency> {
  const { seconds = 30, onBegin, onEnd } = options;
  const { demo } = stack;
  const tenant = demo.tenants[0]!;
  const sink = await startWebhookSink();
  const uccs = await prepare(stack, sink);
  const token = await tokenFor(demo, tenant);
  const accepted = new Map<string, number>();

  async function buy(n: number, isMeasured: boolean): Promise<void> {
    const answer = await call(`${demo.baseUrl}/v2/events/purchase-created`, {
      method: 'POST',
      token,
      body: purchase(tenant, `bench-${n}`, { ucc: uccs[n % uccs.length] }),
    });
    if (answer.status !== 202) throw new Error(`a purchase was answered ${answer.status}`);
    const { eventId } = answer.body as { eventId: string };
    if (isMeasured) accepted.set(eventId, performance.timeOrigin + performance.now());
  }

  const warmUp = 5 * perSecond;
  const count = perSecond * seconds;
  try {
    await atRate(warmUp, (n) => buy(n, false));
    await onBegin?.();
    await atRate(count, (n) => buy(warmUp + n, true));
    await untilArrived(sink, warmUp + count);
    await onEnd?.();
  } finally {
    await sink.stop();
  }
  const passed = await readPassed({
    kafka: stack.kafka,
    accepted,
    delivered: new Map(
      sink.received
        .toReversed()
        .map(({ eventId, atMs }) => [eventId, performance.timeOrigin + atMs]),
    ),
  });
  const hops = hopsOf(passed);
  return { ...hops.at(-1)!.sinceAccepted, count: passed.length, hops };
}

/** The sink as the tenant's endpoint, and the codes of a thousand referrers. */
async function prepare({ demo }: Stack, sink: WebhookSink): Promise<string[]> {
  const { tenantId, webhook } = demo.tenants[0]!;
  const client = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
  const { username, password } = webhook;
  const moved = { url: sink.url, username, password };
  await client.call('PUT', `/api/tenants/${tenantId}/webhook`, moved);
  const uccs: string[] = [];
  for (let n = 0; n < referrers; n += codesAtOnce) {
    const codes = Array.from({ length: codesAtOnce }, (_, i) =>
      client.call<{ ucc: string }>('POST', `/api/tenants/${tenantId}/codes`, {
        productUserId: `bench-referrer-${n + i}`,
      }),
    );
    for (const { ucc } of await Promise.all(codes)) uccs.push(ucc);
  }
  await delay(2_000);
  return uccs;
}

/** Begins each when its time has come, whatever became of those before. */
async function atRate(count: number, begin: (n: number) => Promise<void>): Promise<void> {
  const begun: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let n = 0; n < count; n++) {
    begun.push(begin(n));
    const dueIn = startedAt + (n + 1) * (1_000 / perSecond) - performance.now();
    if (dueIn > 1) await delay(dueIn);
  }
  await Promise.all(begun);
}

async function untilArrived(sink: WebhookSink, count: number): Promise<void> {
  for (const deadline = Date.now() + 60_000; sink.received.length < count; await delay(100)) {
    if (Date.now() > deadline) {
      throw new Error(`${sink.received.length} of ${count} webhooks arrived`);
    }
  }
}

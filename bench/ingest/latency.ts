import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../deploy/local/stack.ts';
import { call, purchase, tokenFor } from '../../test-e2e/calls.ts';
import { startWebhookSink } from '../../test-faults/webhook-sink.ts';
import { percentile } from '../report.ts';

const perSecond = 200;
const seconds = 30;

/**
 * From the 202 to the webhook's arrival, purchase by purchase. Which webhook belongs to which
 * purchase is read from the demo tenant: every purchase has a referrer, and so an order, of its
 * own.
 */
export async function measureLatency(
  stack: Stack,
): Promise<{ p50Ms: number; p99Ms: number; count: number }> {
  const { demo } = stack;
  const tenant = demo.tenants[0]!;
  const sink = await startWebhookSink();
  const admin = (path: string, method: string, body: object) =>
    call(`${demo.baseUrl}/api/tenants/${tenant.tenantId}${path}`, {
      method,
      token: demo.adminToken,
      body,
    });
  await admin('/webhook', 'PUT', { url: sink.url });
  // As many referrers as purchases in flight, so that a webhook names its purchase.
  const uccs = new Map<string, string>();
  for (let n = 0; n < 1_000; n++) {
    const { body } = await admin('/codes', 'POST', { productUserId: `bench-referrer-${n}` });
    uccs.set(`bench-referrer-${n}`, (body as { ucc: string }).ucc);
  }
  await delay(2_000);
  const referrers = [...uccs.keys()];
  const token = await tokenFor(demo, tenant);
  const acceptedAt = new Map<string, number[]>();
  const warmUp = 5 * perSecond;
  const count = perSecond * seconds + warmUp;
  const sent: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let n = 0; n < count; n++) {
    sent.push(buy(n));
    const dueIn = startedAt + (n + 1) * (1_000 / perSecond) - performance.now();
    if (dueIn > 1) await delay(dueIn);
  }
  await Promise.all(sent);
  for (const deadline = Date.now() + 60_000; sink.received.length < count; await delay(100)) {
    if (Date.now() > deadline) {
      throw new Error(`${sink.received.length} of ${count} webhooks arrived`);
    }
  }
  await sink.stop();
  const waits = waitsOf();
  return { p50Ms: percentile(waits, 50), p99Ms: percentile(waits, 99), count: waits.length };

  async function buy(n: number): Promise<void> {
    const referrer = referrers[n % referrers.length]!;
    const answer = await call(`${demo.baseUrl}/v2/events/purchase-created`, {
      method: 'POST',
      token,
      body: purchase(tenant, `bench-${n}`, { ucc: uccs.get(referrer) }),
    });
    if (answer.status !== 202) throw new Error(`a purchase was answered ${answer.status}`);
    acceptedAt.set(referrer, [...(acceptedAt.get(referrer) ?? []), performance.now()]);
  }

  /** The k-th webhook of a referrer belongs to the referrer's k-th purchase, five seconds apart. */
  function waitsOf(): number[] {
    const arrivals = Map.groupBy(sink.received, ({ body }) => {
      return (JSON.parse(body) as { data: { productUserId: string } }).data.productUserId;
    });
    return referrers.flatMap((referrer) =>
      (acceptedAt.get(referrer) ?? [])
        .map((at, k) => (arrivals.get(referrer)?.[k]?.atMs ?? Infinity) - at)
        .slice(1),
    );
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { stripeShapes, type StripeShape } from '@tributary/testkit/stripe/api-version';
import { deliverEvent } from '@tributary/testkit/stripe/deliver-events';
import { type Connection, connectionOf } from '../../test-faults/processor/connections.ts';
import type { World } from '../../test-faults/processor/world.ts';
import { openWorld, type Run, stopped } from './bench-world.ts';
import { monthlyPrice, payingCustomer } from './paid-invoices.ts';

export const perSecond = 50;
const rounds = 2;
const secondsPerRun = 15;

/** How long one event waits, from the moment its request began. */
export type Waits = { answeredMs: number; onLogMs: number; factMs: number };

/** `asked`: requests at Stripe by method and path, ids left out. */
export type FactTimes = { waits: Waits[]; asked: Map<string, number> };

/**
 * Invoices of customers of whom nothing is known, with a Stripe that answers at once, in either
 * shape of its API in turn: how long until the event is on the topic `processor`, and its fact on
 * `events`.
 */
export async function measureFacts(run: Run): Promise<Map<StripeShape, FactTimes>> {
  const connections = stripeShapes.map((shape) => connectionOf(`t-facts-${shape}`, { shape }));
  const world = await openWorld(run, 'facts', connections);
  const found = new Map<StripeShape, FactTimes>(
    stripeShapes.map((shape) => [shape, { waits: [], asked: new Map() }]),
  );
  try {
    const processor = await world.start();
    await processor.ready();
    const arrivals = await watchArrivals(world);
    for (let round = 0; round <= rounds; round++) {
      for (const connection of connections) {
        const { waits, asked } = found.get(connection.shape)!;
        world.stripe.forgetRequests();
        const seconds = round === 0 ? 2 : secondsPerRun;
        const waited = await sendPaced(world, connection, { arrivals, seconds });
        await world.atRest();
        if (round === 0) continue;
        waits.push(...waited);
        for (const { method, path } of world.stripe.requests()) {
          const question = `${method} ${path.replaceAll(/\/[a-z]+_1\w+/g, '/:id')}`;
          asked.set(question, (asked.get(question) ?? 0) + 1);
        }
        run.progress(`round ${round}/${rounds} ${connection.shape}: ${waited.length} facts`);
      }
    }
    await stopped(processor);
    return found;
  } finally {
    await world.stop();
  }
}

/**
 * When an event was on the topic `processor`, by its id, and when a fact was on `events`, by its
 * user.
 */
async function watchArrivals({ topics, defer }: World): Promise<Map<string, number>> {
  const arrivals = new Map<string, number>();
  for (const topic of [topics.nameOf('processor'), topics.nameOf('events')]) {
    const consumer = topics.kafka.client.consumer({ groupId: `${topic}-bench` });
    await consumer.connect();
    defer(() => consumer.disconnect());
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage({ message }) {
        const record = JSON.parse(message.value!.toString()) as {
          processorEventId?: string;
          newUser?: { id: string };
        };
        const id = record.processorEventId ?? record.newUser?.id;
        if (id !== undefined) arrivals.set(id, performance.now());
        return Promise.resolve();
      },
    });
  }
  return arrivals;
}

async function sendPaced(
  world: World,
  connection: Connection,
  { arrivals, seconds }: { arrivals: ReadonlyMap<string, number>; seconds: number },
): Promise<Waits[]> {
  const { account } = world.stripe;
  const { shape, signingSecret, tenantId } = connection;
  const priceId = monthlyPrice(account);
  const startedAt = performance.now();
  return Promise.all(Array.from({ length: seconds * perSecond }, (_, n) => pay(n)));

  async function pay(n: number): Promise<Waits> {
    await delay(Math.max(0, startedAt + n * (1_000 / perSecond) - performance.now()));
    const newUserId = `${tenantId}-${priceId}-${n}`;
    const { event, invoice } = payingCustomer(account, priceId, newUserId);
    const sentAt = performance.now();
    const options = { shape, secrets: [signingSecret] };
    const { status } = await deliverEvent(world.urlOf(connection), event, options);
    if (status !== 200) throw new Error(`an event was answered ${status}`);
    const answeredMs = performance.now() - sentAt;
    // The time is that of the arrival, however late somebody looks.
    const arrived = async (id: string) => {
      for (const deadline = sentAt + 60_000; !arrivals.has(id); await delay(100)) {
        if (performance.now() > deadline) throw new Error(`nothing arrived of ${id}`);
      }
      return arrivals.get(id)! - sentAt;
    };
    const onLogMs = await arrived(event.id);
    const factMs = await arrived(newUserId);
    // The fake looks through all payments for those of an invoice: it answers at once while they
    // are few.
    for (const [id, { invoiceId }] of account.store.invoicePayments) {
      if (invoiceId === invoice.id) account.store.invoicePayments.delete(id);
    }
    return { answeredMs, onLogMs, factMs };
  }
}

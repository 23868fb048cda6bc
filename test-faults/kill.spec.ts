import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { isLong } from '@tributary/testkit/long-run';
import { expect } from 'chai';
import type { DemoTenant } from '../deploy/demo/demo-file.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import { call } from '../test-e2e/calls.ts';
import { isAlive } from './is-alive.ts';
import { type Customer, createCustomer } from './customer.ts';
import { currentDecision, decidedTwice } from './decided-once.ts';
import { inspect, type Inspection } from './inspect.ts';
import { expectStackRecovered } from './recovered.ts';
import { startWebhookSink, type WebhookSink } from './webhook-sink.ts';

/**
 * Purchases at about 200 per second while everything is killed once, and consumers scale 1 → 3 → 1.
 * Afterwards nothing acknowledged is lost, doubled or sent with two identities (design 4).
 */
const perSecond = 200;
const total = isLong ? 20_000 : 2_000;
/** Every tenth purchase has no key: its retries may become two events, and still one reward. */
const isKeyed = (n: number) => n % 10 !== 0;
const invoice = (n: number) => `kill-${n}`;

describe('kills under load', function () {
  this.timeout(600_000);
  let stack: Stack;
  let sink: WebhookSink;
  let customer: Customer;
  let seen: Inspection;
  const kills: { what: string; provenBy: string }[] = [];

  before(async () => {
    sink = await startWebhookSink();
    // All callers have one address here, and wait while something is down.
    process.env['TRIBUTARY_EDGE_REQUESTS_PER_ADDRESS'] = String(total);
    stack = await startThrowawayStack({ replicas: { 'ingest-api': 2 } });
    const tenant = stack.demo.tenants[0] as DemoTenant;
    await pointWebhookAt(sink.url, tenant);
    customer = await createCustomer(stack.demo, tenant);
    await loadWhileKilling();
    await eventually(
      async () => {
        const received = new Set(sink.received.map((r) => r.rewardId));
        expect(received.size).to.equal(total);
        seen = await inspect(stack.demo);
        expect(seen.lag, 'lag').to.equal(0);
        expect(seen.outboxRows, 'outbox rows').to.equal(0);
      },
      { deadlineMs: 180_000, everyMs: 500 },
    );
  });

  after(async () => {
    await stack.stop();
    await sink.stop();
  });

  async function pointWebhookAt(url: string, tenant: DemoTenant): Promise<void> {
    const { adminToken: token, baseUrl } = stack.demo;
    const answer = await call(`${baseUrl}/api/tenants/${tenant.tenantId}/webhook`, {
      method: 'PUT',
      token,
      body: { url, password: tenant.webhook.password },
    });
    expect(answer.status).to.equal(200);
  }

  /**
   * One stretch of load per kill, so that each kill meets traffic: purchases go on at their pace
   * while the victim dies and comes back. Those that are refused try again in the background.
   */
  async function loadWhileKilling(): Promise<void> {
    const { attribution, rewards, 'webhook-dispatcher': dispatcher } = stack.services;
    const consumers = [attribution, rewards, dispatcher];
    const scaleTo = (count: number) => Promise.all(consumers.map((group) => group.scale(count)));
    const happenings: (() => Promise<unknown>)[] = [
      () => killService('ingest-api', 0),
      () => scaleTo(3),
      () => killService('attribution', 0),
      () => killService('rewards', 1),
      () => killService('webhook-dispatcher', 2),
      () => killServer('redis'),
      () => killServer('kafka'),
      () => killServer('postgres'),
      () => killService('ingest-api', 1),
      () => scaleTo(1),
    ];
    const bought: Promise<void>[] = [];
    for (const [i, happen] of happenings.entries()) {
      const stretch = total / happenings.length;
      await Promise.all([buyAtPace(i * stretch, stretch, bought), delay(250).then(happen)]);
    }
    const failed = (await Promise.allSettled(bought)).filter((o) => o.status === 'rejected');
    expect(failed.map((o) => String(o.reason))).to.deep.equal([]);
  }

  async function buyAtPace(from: number, count: number, bought: Promise<void>[]): Promise<void> {
    const startedAt = performance.now();
    for (let i = 0; i < count; i++) {
      const purchase = customer.buy(invoice(from + i), { keyed: isKeyed(from + i) });
      purchase.catch(() => undefined); // evaluated at the end
      bought.push(purchase);
      const dueIn = startedAt + (i + 1) * (1_000 / perSecond) - performance.now();
      if (dueIn > 1) await delay(dueIn);
    }
  }

  async function killService(
    name: 'ingest-api' | 'attribution' | 'rewards' | 'webhook-dispatcher',
    index: number,
  ): Promise<void> {
    const replica = stack.services[name].replicas[index]!;
    const pid = replica.pid;
    const exit = await replica.kill('SIGKILL');
    expect(exit.signal, replica.name).to.equal('SIGKILL');
    await delay(500);
    await replica.restart();
    expect(replica.pid).to.not.equal(pid);
    kills.push({ what: replica.name, provenBy: `pid ${pid} ended by ${exit.signal}` });
  }

  async function killServer(name: 'kafka' | 'redis' | 'postgres'): Promise<void> {
    const server = stack.servers[name];
    const pid = server.pid;
    await server.kill();
    expect(isAlive(pid), `${name} ${pid} is dead`).to.equal(false);
    await delay(1_000);
    await server.restart();
    expect(server.pid).to.not.equal(pid);
    kills.push({ what: name, provenBy: `pid ${pid} is gone` });
  }

  it('killed every part, each proved', () => {
    expect(kills.map((k) => k.what.replace(/-\d$/, ''))).to.have.members([
      'ingest-api',
      'attribution',
      'rewards',
      'webhook-dispatcher',
      'redis',
      'kafka',
      'postgres',
      'ingest-api',
    ]);
    const retries = [...customer.retried].map(([kind, count]) => `${kind} ${count}`).join(', ');
    console.log(`      ${total} purchases; retries: ${retries || 'none'}`);
  });

  it('accepted every purchase, with one eventId per key however often it was retried', () => {
    expect(customer.accepted.size).to.equal(total);
    for (let n = 0; n < total; n++) {
      expect(customer.accepted.get(invoice(n))?.size, invoice(n)).to.equal(1);
    }
  });

  it('has the eventId of every 202 in the topic, and no second event of a keyed purchase', () => {
    for (let n = 0; n < total; n++) {
      const [eventId] = customer.accepted.get(invoice(n)) ?? [];
      const events = seen.eventsOfInvoice.get(invoice(n)) ?? new Set();
      expect(events.has(eventId!), invoice(n)).to.equal(true);
      if (isKeyed(n)) expect(events.size, invoice(n)).to.equal(1);
    }
  });

  it('decided every event, and attributed exactly one per invoice', () => {
    for (const [invoiceId, events] of seen.eventsOfInvoice) {
      const outcomes = [...events].map((eventId) => currentDecision(seen.decisions, eventId));
      const attributed = outcomes.filter((d) => d?.outcome === 'attributed');
      const duplicates = outcomes.filter((d) => d?.reason === 'duplicate');
      expect(attributed.length, invoiceId).to.equal(1);
      expect(duplicates.length, invoiceId).to.equal(events.size - 1);
    }
  });

  it('decided no event twice: one id, versions without a gap, one content per version', () => {
    expect(decidedTwice(seen.decisions)).to.deep.equal([]);
  });

  it('put no record aside as a dead letter', () => {
    expect(seen.deadLetters).to.equal(0);
  });

  it('has exactly one reward and one issuance per invoice', () => {
    expect(seen.rewardsPerInvoice.size).to.equal(total);
    expect(new Set(seen.rewardsPerInvoice.values())).to.deep.equal(new Set([1]));
    expect(seen.issuances).to.equal(total);
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () =>
    expectStackRecovered(stack));

  it('has a ledger that sums to zero, posting by posting', () => {
    expect(seen.ledgerSum).to.equal('0');
    expect(seen.unbalancedPostings).to.equal(0);
  });

  it('delivered every reward, under exactly one distinct eventId', () => {
    const ids = new Map<string, Set<string>>();
    for (const { rewardId, eventId } of sink.received) {
      ids.set(rewardId, (ids.get(rewardId) ?? new Set()).add(eventId));
    }
    expect(ids.size).to.equal(total);
    expect([...ids.values()].filter((set) => set.size !== 1)).to.deep.equal([]);
    const bodies = new Map(sink.received.map((r) => [r.eventId, r.body]));
    expect(sink.received.filter((r) => bodies.get(r.eventId) !== r.body)).to.deep.equal([]);
  });
});

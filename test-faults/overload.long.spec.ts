import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { eventCodec } from '@tributary/contracts/event-record';
import { connectRaw, type RawConnection } from '@tributary/http/testing';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { Agent, fetch } from 'undici';
import type { DemoTenant } from '../deploy/demo/demo-file.ts';
import type { ServiceReplica } from '../deploy/local/service-replica.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import { purchase, tokenFor } from '../test-e2e/calls.ts';
import { readLog } from './read-log.ts';
import { expectStackRecovered } from './recovered.ts';

/** The default of ingest-api, and what a busy machine may add; the edge gives up after 30 s. */
const deadlineMs = 5_000;
const marginMs = Math.min(patiently(5_000), 20_000);
/** Callers that wait for an answer at the same time. */
const atOnce = 400;
/** What the edge has one replica of ingest-api do at once, by default. */
const takes = 1_000;
/** Far less than the bodies sent here would need: a queue without a bound would end the process. */
const heapMib = 192;

type Sent = {
  status: number;
  tookMs: number;
  retryAfter: string | null;
  eventId?: string;
  detail?: string;
};

/** What the edge and ingest-api say when there are too many; not when the log does not answer. */
const tooMany = /too many requests|More events came/;

/** More than can be written: shed with 503, in bounded time and memory (design 4 and 8). */
describe('overload', function () {
  this.timeout(180_000);
  let stack: Stack;
  let tenant: DemoTenant;
  let token: string;
  let replica: ServiceReplica;
  let pid: number;
  const agent = new Agent({ connections: atOnce, pipelining: 1 });
  /** As many callers each, so that together they are more than a replica takes at once. */
  const others = ['127.0.2.1', '127.0.2.2', '127.0.2.3', '127.0.2.4'].map(
    (localAddress) => new Agent({ connections: atOnce, pipelining: 1, localAddress }),
  );
  /** How many of their requests a replica has no room for. */
  const beyond = others.length * atOnce - takes;

  before(async () => {
    const variables = { 'ingest-api': { NODE_OPTIONS: `--max-old-space-size=${heapMib}` } };
    stack = await startThrowawayStack({ variables });
    tenant = stack.demo.tenants[0]!;
    token = await tokenFor(stack.demo, tenant);
    replica = stack.services['ingest-api'].replicas[0]!;
    pid = replica.pid;
  });
  after(async () => {
    await Promise.all([agent, ...others].map((one) => one.destroy()));
    await stack?.stop();
  });

  it('is shed while the log does not answer, and over when it does', async () => {
    const sent: Promise<Sent>[] = [];
    await stack.servers.kafka.pause();
    try {
      sent.push(...burst('small', 4_000, {}));
      sent.push(
        ...burst('large', 1_000, { occurredAt: `2026-01-01T00:00:00.${'7'.repeat(61_000)}Z` }),
      );
      await Promise.all(sent);
      // By now the brokers count as gone: who comes is refused at once.
      await eventually(async () => {
        const late = await buy('late');
        expect(late).to.include({ status: 503 });
        expect(late.tookMs).to.be.below(deadlineMs / 2);
      });
    } finally {
      await stack.servers.kafka.resume();
    }
    // On both sides of the return, however long the brokers take to be found again.
    await eventually(
      async () => {
        const returned = burst('return', 1_000, {});
        sent.push(...returned);
        expect((await Promise.all(returned)).some(({ status }) => status === 202)).to.equal(true);
      },
      { deadlineMs: 60_000, everyMs: 200 },
    );

    const answers = await Promise.all(sent);
    const counts = Object.groupBy(answers, ({ status }) => status);
    console.log(`      ${describeAnswers(counts)}; RSS ${rssMib(pid)} MiB`);
    expect(Object.keys(counts)).to.have.members(['202', '503']);
    expect(counts[503]!.filter(({ retryAfter }) => retryAfter !== '1')).to.deep.equal([]);
    const slowest = Math.max(...answers.map(({ tookMs }) => tookMs));
    expect(slowest).to.be.below(deadlineMs + marginMs);

    await recovered();
    const accepted = answers.flatMap(({ eventId }) => eventId ?? []);
    expect(new Set(accepted).size).to.equal(accepted.length);
    const stored = await storedEvents();
    expect(accepted.filter((eventId) => stored.get(eventId)?.size !== 1)).to.deep.equal([]);
  });

  it('beyond what a replica takes is refused at once, while the others wait', async () => {
    const all: Sent[] = [];
    const deadline = Date.now() + patiently(60_000);
    let shed: number;
    do {
      // What a busy machine sends too slowly is answered before there are too many: once more then.
      const seen = await wave();
      all.push(...seen.answers);
      shed = seen.shed;
    } while (shed < beyond && Date.now() < deadline);
    expect(shed).to.be.at.least(beyond);
    const counts = Object.groupBy(all, ({ status }) => status);
    console.log(`      ${describeAnswers(counts)}`);
    expect(Object.keys(counts)).to.have.members(['202', '503']);
    const accepted = all.flatMap(({ eventId }) => eventId ?? []);
    const stored = await storedEvents();
    expect(accepted.filter((eventId) => stored.get(eventId)?.size !== 1)).to.deep.equal([]);
  });

  /** One request of every caller while the log does not answer; how many found no room. */
  async function wave(): Promise<{ answers: Sent[]; shed: number }> {
    const answers: Sent[] = [];
    await stack.servers.kafka.pause();
    const sent = others.flatMap((dispatcher, caller) =>
      Array.from({ length: atOnce }, async (_, n) => {
        const key = `many-${caller}-${n}`;
        answers.push(await send(key, { key, dispatcher }));
      }),
    );
    const done = Promise.all(sent);
    done.catch(() => undefined);
    const countShed = () => answers.filter(({ detail = '' }) => tooMany.test(detail)).length;
    try {
      await eventually(() => {
        if (answers.length < sent.length) expect(countShed()).to.be.at.least(beyond);
      });
      expect(answers.filter(({ status }) => status !== 503)).to.deep.equal([]);
    } finally {
      await stack.servers.kafka.resume();
      await done;
    }
    await recovered();
    return { answers, shed: countShed() };
  }

  it('by bodies that never end costs others nothing', async () => {
    const stalled = await stallBodies(1_500);
    // By then it has taken as many as it takes.
    await eventually(() => {
      const shed = stalled.filter((c) => c.received().startsWith('HTTP/1.1 503 '));
      expect(shed).to.not.have.length(0);
    });
    await delay(1_100); // what it means to be slow
    const answers = await Promise.all(burst('beside', 500, {}));
    expect(answers.filter(({ status }) => status !== 202)).to.deep.equal([]);
    for (const { socket } of stalled) socket.destroy();
    await recovered();
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () =>
    expectStackRecovered(stack, 120_000));

  /** The same process as ever answers as ever. */
  async function recovered(): Promise<void> {
    await eventually(
      async () => {
        for (let inARow = 0; inARow < 20; inARow++) {
          const answer = await buy('after');
          expect(answer).to.include({ status: 202 });
          expect(answer.tookMs).to.be.below(Math.min(patiently(1_000), 20_000));
        }
      },
      { deadlineMs: 30_000 },
    );
    expect(replica.isRunning() && replica.pid).to.equal(pid);
    expect(rssMib(pid)).to.be.below(heapMib + 300);
  }

  function burst(name: string, count: number, more: object): Promise<Sent>[] {
    return Array.from({ length: count }, (_, n) =>
      buy(`${name}-${n}`, more, n % 2 === 0 ? `${name}-${n}` : undefined),
    );
  }

  let serial = 0;
  async function buy(name: string, more: object = {}, key?: string): Promise<Sent> {
    const { begin, end } = turn();
    await begin;
    return send(name, { more, key, dispatcher: agent }).finally(end);
  }

  async function send(
    name: string,
    options: { more?: object; key: string | undefined; dispatcher: Agent },
  ): Promise<Sent> {
    const { more = {}, key, dispatcher } = options;
    const body = JSON.stringify(purchase(tenant, `${name}-${serial++}`, more));
    const startedAt = performance.now();
    const answer = await fetch(`${stack.demo.baseUrl}/v2/events/purchase-created`, {
      method: 'POST',
      dispatcher,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': `${key}-${serial}` }),
      },
      body,
    });
    const { eventId, detail } = (await answer.json()) as { eventId?: string; detail?: string };
    return {
      status: answer.status,
      tookMs: performance.now() - startedAt,
      retryAfter: answer.headers.get('retry-after'),
      ...(eventId === undefined ? {} : { eventId }),
      ...(detail === undefined ? {} : { detail }),
    };
  }

  /** As many at once as there are connections, so that the time taken is the service's own. */
  let free = atOnce;
  const queue: (() => void)[] = [];
  function turn(): { begin: Promise<void>; end: () => void } {
    const begin = free > 0 ? Promise.resolve() : new Promise<void>((r) => queue.push(r));
    if (free > 0) free -= 1;
    const end = () => {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    };
    return { begin, end };
  }

  /** Each sends nearly all of 64 KiB, at the service itself, and then nothing. */
  async function stallBodies(count: number): Promise<RawConnection[]> {
    const head =
      `POST /v2/events/purchase-created HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 65536\r\n\r\n';
    const bytes = head + ' '.repeat(60_000);
    const stalled: RawConnection[] = [];
    for (let n = 0; n < count; n++) {
      const connection = await connectRaw(replica.port!);
      connection.send(bytes);
      stalled.push(connection);
    }
    return stalled;
  }

  /**
   * The distinct records per eventId: copies of one are legal and dropped downstream (design 5).
   */
  async function storedEvents(): Promise<Map<string, Set<string>>> {
    const stored = new Map<string, Set<string>>();
    for (const { value } of await readLog(stack.demo, 'events', eventCodec)) {
      const texts = stored.get(value.eventId) ?? new Set();
      stored.set(value.eventId, texts.add(JSON.stringify(value)));
    }
    return stored;
  }
});

function describeAnswers(counts: Partial<Record<number, Sent[]>>): string {
  const groups = Object.entries(counts).map(([status, answers]) => {
    const slowest = Math.max(...answers!.map(({ tookMs }) => tookMs));
    return `${answers!.length} × ${status}, slowest ${Math.round(slowest)} ms`;
  });
  return groups.join('; ');
}

function rssMib(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line![1]) / 1024);
}

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { recordKey, topicName } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { headersOf } from '@tributary/event-log/record-traces';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { runTributary } from '../../packages/cli/src/run-tributary.ts';
import { wiring } from '../read-log.ts';
import type { SentSpan } from '@tributary/testkit/span-collector';
import { type Bought, startTracedStack, type TracedStack } from './traced-stack.ts';

const stepsOf = (generation: number) => [
  'POST /v2/events/{eventType}',
  `send ${topicName('events', wiring)}`,
  `process ${topicName('events', wiring)}`,
  `process ${topicName('attributions', { ...wiring, generation })}`,
  'issue',
  `process ${topicName('issuances', wiring)}`,
  'send webhook',
];

const steps = stepsOf(1);

describe('traces of the whole system', function () {
  this.timeout(300_000);
  let traced: TracedStack;

  before(async () => {
    traced = await startTracedStack(1);
  });
  after(async () => {
    await traced?.stop();
  });

  /** Once the webhook's span is there, in order of their parents. */
  async function wholeTrace(
    { traceId, callersSpanId }: Bought,
    expected = steps,
  ): Promise<SentSpan[]> {
    return eventually(
      () => {
        const spans = traced.collector.spansOf(traceId);
        // An append without an answer is sent again, and its copy has spans of its own.
        const leads = (parent: string, [name, ...rest]: readonly string[]): boolean =>
          name === undefined ||
          spans.some(
            (span) =>
              span.parentSpanId === parent && span.name === name && leads(span.spanId, rest),
          );
        const names = spans.map(({ name }) => name).join(', ');
        expect(leads(callersSpanId, expected), names).to.equal(true);
        return spans;
      },
      { deadlineMs: 30_000 },
    );
  }

  it('lead from one request, in the trace of the caller, to its webhook', async () => {
    const bought = await traced.buy();
    expect(bought.answer.status).to.equal(202);
    const spans = await wholeTrace(bought);
    expect(new Set(spans.map(({ name }) => name))).to.deep.equal(new Set(steps));
    expect(new Set(spans.map(({ service }) => service))).to.deep.equal(
      new Set([
        ...['tributary-ingest-api', 'tributary-attribution', 'tributary-rewards'],
        'tributary-webhook-dispatcher',
      ]),
    );
    for (const { attributes, isFailed, name } of spans) {
      expect(attributes['tributary.request_id'], name).to.equal(bought.requestId);
      expect(isFailed, name).to.equal(false);
    }
    const send = spans.find(({ name }) => name === steps.at(-1))!;
    const webhook = traced.sink.received.find(
      ({ headers }) => headers['traceparent'] === `00-${bought.traceId}-${send.spanId}-01`,
    );
    expect(webhook?.eventId).to.equal(send.attributes['tributary.webhook_event_id']);
    expect(send.attributes['http.response.status_code']).to.equal(200);
  });

  it('tell nothing of people, secrets or amounts', async () => {
    const people = { id: `person-${randomUUID()}`, email: 'seen@example.com', name: 'Seen Person' };
    const bought = await traced.buy({ body: { newUser: people, amount: 123_456 } });
    await wholeTrace(bought);
    const { tenant, collector } = traced;
    const { accessKeyId, secretAccessKey, referrer, webhook, tenantId } = tenant;
    const words = [
      ...Object.values(people),
      ...['123456', tenantId, accessKeyId, secretAccessKey, referrer.ucc],
      ...[referrer.productUserId, webhook.password, webhook.username],
    ];
    const all = collector.texts.join('\n');
    expect(words.filter((word) => all.includes(word))).to.deep.equal([]);
  });

  it('of events that were applied together are linked', async () => {
    const bought = await Promise.all(Array.from({ length: 60 }, () => traced.buy()));
    await Promise.all(bought.map((one) => wholeTrace(one)));
    const ids = new Set(bought.map(({ traceId }) => traceId));
    const linked = traced.collector.spans.filter(
      ({ traceId, links }) => ids.has(traceId) && links.length > 0,
    );
    expect(linked).to.not.have.length(0);
    for (const { traceId, links } of linked) {
      expect(links.some((link) => link.traceId === traceId)).to.equal(false);
    }
  });

  it('have the request id that is in log lines about the request and about its record', async () => {
    const refused = await traced.buy({ body: { amount: 'much' } });
    expect(refused.answer.status).to.equal(422);
    await eventually(() => {
      const [span, ...others] = traced.collector.spansOf(refused.traceId);
      expect(others).to.deep.equal([]);
      expect(span?.attributes).to.include({
        'http.response.status_code': 422,
        'tributary.request_id': refused.requestId,
      });
    });
    expect(linesOf('ingest-api', refused.requestId)).to.deep.include('refused');

    // As nobody of ours writes it, so the headers are put there.
    const requestId = randomUUID();
    await appendBroken(requestId, `00-${refused.traceId}-${refused.callersSpanId}-01`);
    await eventually(
      () =>
        expect(linesOf('attribution', requestId)).to.deep.equal([
          'a record breaks its contract; it goes to the dead letters',
        ]),
      { deadlineMs: 30_000 },
    );
  });

  it('have nothing of what a generation is built from, and go on with it when it is live', async () => {
    const before = await traced.buy();
    await wholeTrace(before);
    // Spans are posted every second.
    await delay(3_000);
    const known = traced.collector.spans.length;
    await tributary('replay', 'rebuild', '--by', 'eva');
    await tributary('replay', 'swap', '2', '--by', 'eva');
    await delay(3_000);
    expect(traced.collector.spans.slice(known).map(({ name }) => name)).to.deep.equal([]);
    const bought = await traced.buy();
    await wholeTrace(bought, stepsOf(2));
  });

  it('cost nobody a webhook when the collector is away', async () => {
    await traced.collector.stop();
    const delivered = traced.sink.received.length;
    const bought = await traced.buy();
    expect(bought.answer.status).to.equal(202);
    await eventually(() => expect(traced.sink.received).to.have.length.above(delivered), {
      deadlineMs: 30_000,
    });
    await eventually(
      () => expect(messagesOf('ingest-api')).to.include('spans cannot be sent; they are dropped'),
      { deadlineMs: 30_000 },
    );
  });

  type Line = { message: string; requestId?: string };
  const readLines = (service: 'ingest-api' | 'attribution'): Line[] =>
    readFileSync(traced.stack.services[service].replicas[0]!.logFile, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);

  function linesOf(service: 'ingest-api' | 'attribution', requestId: string): string[] {
    return readLines(service)
      .filter((line) => line.requestId === requestId)
      .map(({ message }) => message);
  }

  function messagesOf(service: 'ingest-api' | 'attribution'): string[] {
    return readLines(service).map(({ message }) => message);
  }

  async function appendBroken(requestId: string, traceparent: string): Promise<void> {
    const kafka = connectTo(traced.stack.demo);
    const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    try {
      await eventually(() => expect(appender.health().ok).to.equal(true));
      const key = recordKey(traced.tenant.tenantId, randomUUID());
      const headers = headersOf({ traceparent, requestId });
      const topic = topicName('events', wiring);
      await appender.append([{ topic, key, value: '{"schemaVersion":1,', headers }]);
    } finally {
      await appender.stop();
    }
  }

  async function tributary(...argv: string[]): Promise<void> {
    const { demo } = traced.stack;
    const printed: string[] = [];
    const code = await runTributary({
      argv,
      env: { TRIBUTARY_ADMIN_URL: demo.baseUrl, TRIBUTARY_ADMIN_TOKEN: demo.adminToken },
      cwd: '/',
      input: (async function* () {})(),
      out: (line) => void printed.push(line),
      err: (line) => void printed.push(line),
    });
    expect(code, printed.join('\n')).to.equal(0);
  }
});

describe('traces that are off', function () {
  this.timeout(300_000);
  let traced: TracedStack;

  before(async () => {
    traced = await startTracedStack(0);
  });
  after(async () => {
    await traced?.stop();
  });

  it('stay off whatever the caller asks for, and the webhook has no traceparent', async () => {
    const bought = await traced.buy({ flags: '01' });
    expect(bought.answer.status).to.equal(202);
    await eventually(() => expect(traced.sink.received).to.not.have.length(0), {
      deadlineMs: 30_000,
    });
    await delay(2_000);
    expect(traced.collector.texts).to.deep.equal([]);
    expect(traced.sink.received.filter(({ headers }) => 'traceparent' in headers)).to.deep.equal(
      [],
    );
  });
});

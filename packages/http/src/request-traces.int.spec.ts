import { EventEmitter, once } from 'node:events';
import { createLogger } from '@tributary/runtime/logger';
import { openTracer, type Tracer } from '@tributary/runtime/tracer';
import { eventually } from '@tributary/testkit/eventually';
import { type SpanCollector, startSpanCollector } from '@tributary/testkit/span-collector';
import { expect } from 'chai';
import { sendJson } from './problem-response.ts';
import { assignRequestId } from './request-id.ts';
import { createTraceRequest, spanOf } from './request-traces.ts';
import type { Listener } from './server.ts';
import { connectRaw, serve } from './testing.ts';

const sampled = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('traces of requests', () => {
  let collector: SpanCollector;
  let tracer: Tracer;
  let listener: Listener;
  let random: number;
  const silent = new EventEmitter();

  before(async () => {
    collector = await startSpanCollector();
    const logger = createLogger({ service: 'test', level: 'silent' });
    const opened = await openTracer(
      { endpoint: collector.endpoint },
      { service: 'test', logger, add: (_, part) => part },
    );
    tracer = opened!;
    const route = '/things/{id}';
    const options = { tracer, share: 0.01, route, random: () => random };
    const traceRequest = createTraceRequest(options);
    listener = await serve((req, res) => {
      assignRequestId(req, res);
      traceRequest(req, res);
      if (req.url === '/things/silent') return void silent.emit('asked');
      sendJson(res, 200, { traceparent: spanOf(res)?.context.traceparent ?? null });
    });
  });
  beforeEach(() => (random = 0.009));
  after(async () => {
    await listener?.stop();
    await tracer?.stop?.();
    await collector?.stop();
  });

  async function ask(headers: Record<string, string>) {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/things/secret`, { headers });
    const { traceparent } = (await answer.json()) as { traceparent: string | null };
    return { traceparent, requestId: answer.headers.get('x-request-id') };
  }

  it('are drawn by the server: a caller who asks for one gets none by that', async () => {
    random = 0.01;
    expect((await ask({ traceparent: sampled })).traceparent).to.equal(null);
    expect((await ask({})).traceparent).to.equal(null);
  });

  it("go on in the caller's trace, with its flag set or not", async () => {
    for (const traceparent of [sampled, sampled.replace(/1$/, '0')]) {
      const asked = await ask({ traceparent });
      expect(asked.traceparent).to.match(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
      const spanId = asked.traceparent!.split('-')[2];
      await eventually(() => {
        const span = collector.spans.find((sent) => sent.spanId === spanId);
        expect(span).to.deep.include({
          ...{ name: 'GET /things/{id}', kind: 2, parentSpanId: 'b7ad6b7169203331' },
          isFailed: false,
          attributes: {
            'tributary.request_id': asked.requestId,
            'http.request.method': 'GET',
            'http.route': '/things/{id}',
            'http.response.status_code': 200,
          },
        });
      });
    }
  });

  it('are new where the caller sends none, or one that is broken', async () => {
    const ids = [];
    for (const headers of [{}, { traceparent: 'broken' }, { traceparent: `${sampled}-x` }]) {
      ids.push((await ask(headers)).traceparent?.split('-')[1]);
    }
    expect(new Set(ids).size).to.equal(3);
    expect(ids).to.not.include('0af7651916cd43dd8448eb211c80319c');
  });

  it('end as failed when the caller goes away without an answer', async () => {
    const known = collector.spans.length;
    const arrived = once(silent, 'asked');
    const caller = await connectRaw(listener.port);
    caller.send('GET /things/silent HTTP/1.1\r\nHost: here\r\n\r\n');
    await arrived;
    caller.socket.destroy();
    await eventually(() => {
      const failed = collector.spans.slice(known).filter(({ isFailed }) => isFailed);
      expect(failed).to.have.length(1);
      expect(failed[0]?.attributes).to.not.have.property('http.response.status_code');
    });
  });
});

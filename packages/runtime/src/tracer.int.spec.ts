import { eventually } from '@tributary/testkit/eventually';
import { type SpanCollector, startSpanCollector } from '@tributary/testkit/span-collector';
import { expect } from 'chai';
import type { Logger } from './logger.ts';
import { isTraceparent, openTracer, type Tracer } from './tracer.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

describe('a tracer', () => {
  let collector: SpanCollector;
  let logged: string[];
  const tracers: Tracer[] = [];

  beforeEach(async () => {
    collector = await startSpanCollector();
    logged = [];
  });
  afterEach(async () => {
    for (const tracer of tracers.splice(0)) await tracer.stop?.();
    await collector.stop();
  });

  async function open(endpoint = collector.endpoint): Promise<Tracer> {
    const log = (message: string) => void logged.push(message);
    const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
    const tracer = await openTracer(
      { endpoint },
      { service: 'test', logger, add: (_, part) => part },
    );
    tracers.push(tracer!);
    return tracer!;
  }

  it('is not there where no endpoint is set', async () => {
    const add = () => expect.fail('nothing is part of the process');
    const logger = {} as Logger;
    expect(await openTracer(undefined, { service: 'test', logger, add })).to.equal(undefined);
  });

  it('sends a span and what follows from it, in the trace of the parent whatever its flag', async () => {
    const tracer = await open();
    const first = tracer.begin('first', { kind: 'server', requestId: 'r-1', parent });
    const second = first.child('second', 'producer', { 'tributary.event_id': 'e-1' });
    second.end({ links: [{ traceparent: parent, requestId: 'r-0' }], attributes: { n: 3 } });
    first.end({ isFailed: true });
    await eventually(() => expect(collector.spans).to.have.length(2));
    const [sent, top] = collector.spansOf('0af7651916cd43dd8448eb211c80319c');
    expect(top).to.deep.include({
      ...{ service: 'tributary-test', name: 'first', parentSpanId: 'b7ad6b7169203331' },
      ...{ kind: 2, isFailed: true, attributes: { 'tributary.request_id': 'r-1' } },
    });
    expect(sent).to.deep.include({
      ...{ name: 'second', kind: 4, parentSpanId: top?.spanId, isFailed: false },
      attributes: { 'tributary.request_id': 'r-1', 'tributary.event_id': 'e-1', n: 3 },
      links: [{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }],
    });
    expect(second.context).to.deep.equal({
      traceparent: `00-${sent?.traceId}-${sent?.spanId}-01`,
      requestId: 'r-1',
    });
  });

  it('begins a trace of its own without a parent, and never sends a span that did not end', async () => {
    const tracer = await open();
    tracer.begin('never', { kind: 'internal', requestId: 'r' });
    tracer.begin('ended', { kind: 'internal', requestId: 'r' }).end();
    await tracer.stop?.();
    expect(collector.spans.map(({ name }) => name)).to.deep.equal(['ended']);
    expect(collector.spans[0]?.parentSpanId || undefined).to.equal(undefined);
  });

  it('drops spans with one line in the log when no collector answers', async () => {
    const { endpoint } = collector;
    await collector.stop();
    const tracer = await open(endpoint);
    for (let i = 0; i < 3; i++) {
      tracer.begin('lost', { kind: 'internal', requestId: 'r' }).end();
    }
    await tracer.stop?.();
    expect(logged).to.deep.equal(['spans cannot be sent; they are dropped']);
  });

  it('takes a traceparent of version 00 with two ids, and nothing else', () => {
    expect(isTraceparent(parent)).to.equal(true);
    const broken = [
      parent.toUpperCase(),
      parent.replace('00-', '01-'),
      `${parent}-more`,
      parent.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
      parent.replace('b7ad6b7169203331', '0'.repeat(16)),
      parent.slice(1),
      '',
    ];
    expect(broken.filter(isTraceparent)).to.deep.equal([]);
    expect(isTraceparent([parent])).to.equal(false);
  });
});

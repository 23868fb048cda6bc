import { createLogger } from '@tributary/runtime/logger';
import { openTracer, type Tracer } from '@tributary/runtime/tracer';
import { expect } from 'chai';
import type kafkajs from 'kafkajs';
import { packEntries, unpackEntries } from './outbox-rows.ts';
import { contextOf, createSpanStart, headersOf } from './record-traces.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const context = { traceparent, requestId: 'r-1' };

describe('traces in the log', () => {
  let tracer: Tracer;
  let isLive: boolean;

  before(async () => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    // No span ends here, so none is sent.
    const endpoint = 'http://127.0.0.1:9/v1/traces';
    const add = <C>(_: string, part: C): C => part;
    tracer = (await openTracer({ endpoint }, { service: 'test', logger, add }))!;
  });
  beforeEach(() => (isLive = true));
  after(() => tracer?.stop?.());

  function message(
    headers: Record<string, string> | undefined,
    appendedMs = Date.now(),
  ): kafkajs.KafkaMessage {
    const bytes = Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(text)]);
    return {
      ...{ key: null, value: null, attributes: 0, offset: '0', timestamp: String(appendedMs) },
      headers: Object.fromEntries(bytes) as Record<string, Buffer>,
    };
  }

  const createStart = () => createSpanStart({ tracer, topic: 'events', isLive: () => isLive });

  it('are two headers, which an outbox keeps', () => {
    expect(contextOf(message(headersOf(context)))).to.deep.equal(context);
    expect(contextOf(message({}))).to.equal(undefined);
    expect(contextOf(message({ traceparent: 'broken' }))).to.equal(undefined);
    for (const requestId of ['a\u0000', 'a b', 'x'.repeat(129)]) {
      const odd = message({ traceparent, 'x-request-id': requestId });
      expect(contextOf(odd)).to.deep.equal({ traceparent, requestId: '' });
    }
    const entries = [
      { topic: 't', key: 'k', value: 'v', headers: headersOf(context) },
      { topic: 't', key: 'k', value: null },
    ];
    expect(unpackEntries(packEntries(entries))).to.deep.equal(entries);
  });

  it('go on with a record of the source that is traced, and with no other', () => {
    const start = createStart();
    const span = start('events', message(headersOf(context)));
    expect(span?.context.requestId).to.equal('r-1');
    expect(span?.context.traceparent).to.match(/^00-0af7651916cd43dd8448eb211c80319c-/);
    expect(start('codes', message(headersOf(context)))).to.equal(undefined);
    expect(start('events', message(undefined))).to.equal(undefined);
  });

  it('have nothing of what a generation is built from, also once it is live', () => {
    const start = createStart();
    const old = message(headersOf(context), Date.now() - 1);
    isLive = false;
    expect(start('events', old)).to.equal(undefined);
    isLive = true;
    expect(start('events', old)).to.equal(undefined);
    expect(start('events', message(headersOf(context), Date.now() + 1))).to.not.equal(undefined);
  });

  it('have nothing of a record that is older than an hour', () => {
    const old = message(headersOf(context), Date.now() - 3_601_000);
    expect(createStart()('events', old)).to.equal(undefined);
  });
});

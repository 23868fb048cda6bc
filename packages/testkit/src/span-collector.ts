import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP/JSON has it, with the service that sent it. */
export type SentSpan = {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string | number>;
  links: readonly { traceId: string; spanId: string }[];
  isFailed: boolean;
};

/** A collector of OTLP over HTTP that keeps the spans it is sent, and their text. */
export type SpanCollector = {
  endpoint: string;
  spans: SentSpan[];
  texts: string[];
  spansOf(traceId: string): SentSpan[];
  stop(): Promise<void>;
};

type Attribute = { key: string; value: { stringValue?: string; intValue?: number | string } };
type Request = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: WireSpan[] }[];
  }[];
};
type WireSpan = Omit<SentSpan, 'service' | 'attributes' | 'links' | 'isFailed'> & {
  attributes?: Attribute[];
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
};

export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: SentSpan[] = [];
  const texts: string[] = [];
  const server = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8');
    req.on('data', (chunk: string) => (text += chunk));
    req.on('end', () => {
      texts.push(text);
      spans.push(...(JSON.parse(text) as Request).resourceSpans.flatMap(spansIn));
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    texts,
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function spansIn({ resource, scopeSpans }: Request['resourceSpans'][number]): SentSpan[] {
  const service = String(valuesOf(resource.attributes)['service.name']);
  return scopeSpans
    .flatMap(({ spans }) => spans)
    .map(({ attributes = [], links = [], status = {}, ...span }) => ({
      ...span,
      service,
      attributes: valuesOf(attributes),
      links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
      isFailed: status.code === 2,
    }));
}

function valuesOf(attributes: readonly Attribute[]): SentSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue } }) => [
      key,
      stringValue ?? Number(intValue),
    ]),
  );
}

import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from './logger.ts';
import type {
  SpanAttributes,
  SpanKind,
  TraceContext,
  Tracer,
  TraceSettings,
  TraceSpan,
} from './tracer.ts';

/**
 * The tracer of OpenTelemetry's SDK. Spans wait in memory, at most 2,048 of them, and are posted by
 * a timer: a collector that is away or slow costs spans and a log line, and holds nothing up.
 */
export function createTracer(
  { endpoint }: TraceSettings,
  { service, logger }: { service: string; logger: Logger },
): Tracer {
  const exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: timeoutMs });
  const report = createFailureReport(logger);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `tributary-${service}` }),
    // What gets here was drawn already.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportingFailures(exporter, report),
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: timeoutMs,
        maxQueueSize: 2_048,
        maxExportBatchSize: 512,
      }),
    ],
  });
  const tracer = provider.getTracer('tributary');
  return {
    begin(name, { kind, requestId, parent, attributes }) {
      const context =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { ...spanContextOf(parent), isRemote: true });
      return beginSpan(tracer, name, { kind, requestId, context, attributes });
    },
    // What cannot be sent soon is lost: it neither fails a stop nor holds it up.
    async stop() {
      const sent = provider.shutdown().then(
        () => true,
        () => true,
      );
      const isOver = await Promise.race([sent, delay(longestStopMs, false, { ref: false })]);
      if (!isOver) report(`no answer within ${longestStopMs} ms at the end`);
    },
  };
}

const timeoutMs = 5_000;
const longestStopMs = 2_000;

type Beginning = {
  kind: SpanKind;
  requestId: string;
  context: Context;
  attributes?: SpanAttributes | undefined;
};

function beginSpan(
  tracer: OtelTracer,
  name: string,
  { kind, requestId, context, attributes }: Beginning,
): TraceSpan {
  const all = { 'tributary.request_id': requestId, ...attributes };
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes: all }, context);
  return {
    context: { traceparent: traceparentOf(span), requestId },
    child: (childName, childKind, childAttributes) =>
      beginSpan(tracer, childName, {
        kind: childKind,
        requestId,
        context: trace.setSpan(ROOT_CONTEXT, span),
        attributes: childAttributes,
      }),
    end({ attributes: more = {}, links = [], isFailed = false } = {}) {
      span.setAttributes(more);
      span.addLinks(links.map(toLink));
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

const kinds = {
  server: OtelKind.SERVER,
  internal: OtelKind.INTERNAL,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
  client: OtelKind.CLIENT,
} satisfies Record<SpanKind, OtelKind>;

function traceparentOf(span: Span): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

/** The text must be one that {@link isTraceparent} accepts. */
function spanContextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}

function toLink({ traceparent }: TraceContext) {
  return { context: spanContextOf(traceparent) };
}

/** One line a minute: the collector's absence is no failure of this process. */
function createFailureReport(logger: Logger): (error: string) => void {
  let reportedMs = -Infinity;
  return (error) => {
    if (performance.now() - reportedMs <= 60_000) return;
    reportedMs = performance.now();
    logger.warn('spans cannot be sent; they are dropped', { error });
  };
}

function reportingFailures(exporter: SpanExporter, report: (error: string) => void): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error) report(result.error.message);
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

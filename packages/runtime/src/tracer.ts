import type { Component, Composition } from './component.ts';
import type { Logger } from './logger.ts';

/**
 * Traces, of a share of the requests (decision 92). Where they are off there is no tracer, and what
 * a request left behind that was not drawn has no span: whoever may have one asks with `?.`.
 */
export type Tracer = Pick<Component, 'stop'> & {
  /** Begins a span; without `parent` the first one of a new trace. */
  begin(
    name: string,
    options: {
      kind: SpanKind;
      requestId: string;
      /** What {@link isTraceparent} accepts; its flag is ignored. */
      parent?: string | undefined;
      attributes?: SpanAttributes;
    },
  ): TraceSpan;
};

export type TraceSpan = {
  /** What goes along with whatever follows from it. */
  context: TraceContext;
  /** One that follows from it in this process. */
  child(name: string, kind: SpanKind, attributes?: SpanAttributes): TraceSpan;
  /** To be called once; one that is not ended is never sent. */
  end(result?: {
    attributes?: SpanAttributes;
    /** Other traces that shared the work. */
    links?: readonly TraceContext[];
    isFailed?: boolean;
  }): void;
};

/** What travels with a record or a delivery. */
export type TraceContext = {
  /** W3C Trace Context, version 00. */
  traceparent: string;
  /** The `X-Request-Id` of the request that began it. */
  requestId: string;
};

export type SpanKind = 'server' | 'internal' | 'producer' | 'consumer' | 'client';
/** Ids, names of routes and topics, numbers: nothing that may not be in a log line. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

export type TraceSettings = {
  /** Where spans are posted: OTLP over HTTP, as JSON. */
  endpoint: string;
};

/**
 * What sends spans is loaded only where it is wanted: it takes 25 MB and a seventh of a second. To
 * be the first part of a process, so that it is stopped last.
 */
export async function openTracer(
  settings: TraceSettings | undefined,
  { service, logger, add }: Pick<Composition, 'add'> & { service: string; logger: Logger },
): Promise<Tracer | undefined> {
  if (settings === undefined) return undefined;
  const { createTracer } = await import('./open-telemetry.ts');
  return add('traces', createTracer(settings, { service, logger }));
}

export function isTraceparent(text: unknown): text is string {
  return typeof text === 'string' && form.test(text);
}

/** Neither id is all zeros (W3C Trace Context 3.2.2). */
const form = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

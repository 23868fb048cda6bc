import { isRequestId } from '@tributary/runtime/ids';
import {
  isTraceparent,
  type TraceContext,
  type Tracer,
  type TraceSpan,
} from '@tributary/runtime/tracer';
import { type Tx, whenOver } from '@tributary/runtime/postgres';
import type kafkajs from 'kafkajs';
import type { Incoming } from './projection.ts';

/**
 * How a trace passes through the log (decision 92): in two headers of a record, and from a record
 * that is applied to those that follow from it by an id that these name.
 */
export type TraceHeaders = { traceparent: string; 'x-request-id': string };

export function headersOf({ traceparent, requestId }: TraceContext): TraceHeaders {
  return { traceparent, 'x-request-id': requestId };
}

/** Undefined of most records, and of what nobody here has written. */
export function contextOf({ headers }: kafkajs.KafkaMessage): TraceContext | undefined {
  if (headers?.['traceparent'] === undefined) return undefined;
  const traceparent = String(headers['traceparent']);
  if (!isTraceparent(traceparent)) return undefined;
  // Others than ingest-api may write to the topic, too.
  const requestId = String(headers['x-request-id'] ?? '');
  return { traceparent, requestId: isRequestId(requestId) ? requestId : '' };
}

/** Begins the span of a record that is being applied; none for most. */
export type StartSpan = (topic: string, message: kafkajs.KafkaMessage) => TraceSpan | undefined;

/**
 * Only of what is applied for the first time. What a generation reads while it is built was traced
 * by the live one, and what is older than an hour is read again, or so late that its trace is over.
 */
export function createSpanStart(options: {
  tracer: Tracer;
  /** Whose records are traced; its name on the broker. */
  topic: string;
  isLive: () => boolean;
}): StartSpan {
  const { tracer, topic, isLive } = options;
  let builtUntilMs = 0;

  return (name, message) => {
    if (name !== topic) return undefined;
    if (!isLive()) {
      builtUntilMs = Date.now();
      return undefined;
    }
    const context = contextOf(message);
    if (!context) return undefined;
    const appendedMs = Number(message.timestamp);
    if (appendedMs <= builtUntilMs || appendedMs < Date.now() - maxAgeMs) return undefined;
    return tracer.begin(`process ${topic}`, {
      kind: 'consumer',
      requestId: context.requestId,
      parent: context.traceparent,
    });
  };
}

const maxAgeMs = 3_600_000;

/** Their transaction is committed. Each is linked to other traces that shared it. */
export function endSpans(records: readonly Incoming[]): void {
  const spans = records.flatMap(({ span }) => span ?? []);
  const contexts = spans.map(({ context }) => context);
  for (const span of spans) {
    const traceId = traceIdOf(span.context);
    const links = contexts.filter((context) => traceIdOf(context) !== traceId).slice(0, maxLinks);
    span.end({ links, attributes: { 'messaging.batch.message_count': records.length } });
  }
}

function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35);
}

const maxLinks = 32;

const bySubject = new WeakMap<Tx, Map<string, TraceSpan>>();

/** Keeps, until this transaction is over, spans of records by the id that what follows names. */
export function noteSpans<T>(
  tx: Tx,
  batch: readonly Incoming<T>[],
  idOf: (value: T) => string,
): void {
  let spans: Map<string, TraceSpan> | undefined;
  for (const { span, value } of batch) {
    if (span && value !== null) (spans ??= new Map()).set(idOf(value), span);
  }
  if (!spans) return;
  bySubject.set(tx, spans);
  whenOver(tx, () => bySubject.delete(tx));
}

/** Undefined where no record of this transaction is traced. */
export function spansOf(tx: Tx): SpansById | undefined {
  return bySubject.get(tx);
}

export type SpansById = ReadonlyMap<string, TraceSpan>;

/** For a record that follows from the one with this id. */
export function headersAt(spans: SpansById | undefined, id: string): TraceHeaders | undefined {
  const span = spans?.get(id);
  return span && headersOf(span.context);
}

/** For a log line about the records with these ids; nothing where none of them is traced. */
export function requestIdsAt(
  spans: SpansById | undefined,
  ids: readonly string[],
): { requestIds?: string[] } {
  if (!spans) return {};
  const found = ids.flatMap((id) => spans.get(id)?.context.requestId ?? []);
  return found.length === 0 ? {} : { requestIds: found };
}

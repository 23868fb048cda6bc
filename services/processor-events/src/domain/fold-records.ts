import type { ProcessorReceived, ProcessorRecord } from '@tributary/contracts/processor-record';
import { type Dialogue, takeStored } from './fold-dialogue.ts';
import { evaluateKept } from './fold-evaluation.ts';
import {
  copyOf,
  isDone,
  isOpen,
  type KeptItem,
  readingKey,
  type SeenEvent,
  seenKey,
  type Subject,
} from './fold-subject.ts';
import { betterTelling, itemOf } from './item-of.ts';
import type { EvaluateOptions } from './evaluate-item.ts';
import type { Item } from './model.ts';
import { nextReading, readingsOf } from './readings-of.ts';

/**
 * What becomes of a subject by these records of it: with each the readings that it brings, the item
 * that it reports, then an evaluation of each item that it can bear on. They are folded one by one,
 * however they were batched, so what comes out is a function of their order on the log.
 */
export function* foldRecords(
  known: Subject,
  records: readonly ProcessorRecord[],
  options: EvaluateOptions,
): Dialogue<Subject> {
  const subject = copyOf(known);
  for (const record of records) yield* foldRecord(subject, record, options);
  return subject;
}

function* foldRecord(
  subject: Subject,
  record: ProcessorRecord,
  options: EvaluateOptions,
): Dialogue<void> {
  const item = itemOf(record);
  if (record.type === 'received') {
    const event = seenOf(record, item);
    // Told once: with a repeat nothing is received later than it was.
    if (subject.seen.has(seenKey(event))) return;
    subject.seen.add(seenKey(event));
    subject.added.seen.push(event);
    if (event.receivedAt > subject.lastEventAt) subject.lastEventAt = event.receivedAt;
  }
  if (isReported(record)) subject.lastConnectionId = record.connectionId;
  const readKeys = yield* takeReadings(subject, record);
  const reported = item && takeTelling(subject, item);
  const concerned = [...subject.items.values()].filter(
    (kept) => !isDone(kept) && (kept === reported || isOpen(kept) || asksFor(kept, readKeys)),
  );
  for (const kept of concerned.sort(byTurn)) yield* evaluateKept(subject, kept, options);
}

/** By its connection, of our mode; not only asked. */
function isReported(record: ProcessorRecord): boolean {
  return record.type === 'received' ? !record.ignored : record.cause === 'reconcile';
}

export function seenOf(record: ProcessorReceived, item: Item | undefined): SeenEvent {
  const { connectionId, processorEventId, kind, apiVersion, createdAt, receivedAt } = record;
  const itemId = item?.itemId ?? null;
  return { connectionId, processorEventId, kind, apiVersion, createdAt, receivedAt, itemId };
}

/** The keys of what was read. */
function* takeReadings(subject: Subject, record: ProcessorRecord): Dialogue<Set<string>> {
  const readings = readingsOf(record).map(({ type, id, reading }) => ({
    key: readingKey(type, id),
    reading,
  }));
  const unknown = readings.filter(({ key }) => !subject.readings.has(key)).map(({ key }) => key);
  if (unknown.length > 0 && !subject.fresh) {
    takeStored(subject, yield { readingKeys: unknown, invoiceIds: [] });
  }
  for (const { key, reading } of readings) {
    subject.readings.set(key, nextReading(subject.readings.get(key) ?? undefined, reading));
    subject.added.readings.add(key);
  }
  return new Set(readings.map(({ key }) => key));
}

/** Undefined when it says nothing new. */
function takeTelling(subject: Subject, item: Item): KeptItem | undefined {
  const kept = subject.items.get(item.itemId);
  if (!kept) {
    const { receivedAt: knownSince } = item;
    const first: KeptItem = {
      item,
      knownSince,
      state: 'waiting',
      reason: 'incomplete',
      detail: null,
      needs: [],
      asks: [],
      eventIds: [],
    };
    subject.items.set(item.itemId, first);
    return first;
  }
  const better = betterTelling(kept.item, item);
  if (JSON.stringify(better) === JSON.stringify(kept.item)) return undefined;
  kept.item = better;
  subject.added.itemIds.add(item.itemId);
  return kept;
}

function asksFor(kept: KeptItem, keys: ReadonlySet<string>): boolean {
  return kept.item.type === 'charge' && kept.asks.some((key) => keys.has(key));
}

/** Purchases before refunds, which go by what was reported of their purchase. */
function byTurn(a: KeptItem, b: KeptItem): number {
  const turns = Number(a.item.type === 'charge') - Number(b.item.type === 'charge');
  return turns || (a.item.itemId < b.item.itemId ? -1 : 1);
}

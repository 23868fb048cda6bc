import type { ProcessorRecord } from '@tributary/contracts/processor-record';
import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import type { Incoming } from '@tributary/event-log/projection';
import type { Logger } from '@tributary/runtime/logger';
import { runDialogue } from '@tributary/runtime/run-dialogue';
import type { Tx } from '@tributary/runtime/postgres';
import { wantedNeeds } from '../domain/fold-needs.ts';
import { foldRecords, seenOf } from '../domain/fold-records.ts';
import { readingKey, type Subject } from '../domain/fold-subject.ts';
import { itemOf } from '../domain/item-of.ts';
import { readingsOf } from '../domain/readings-of.ts';
import type { Observe } from '../test-hooks.ts';
import { insertFacts } from '../db/facts.ts';
import { putItems, readItems } from '../db/kept-items.ts';
import { lockSubjects, putLastEvents } from '../db/lock-subjects.ts';
import { putNeeds } from '../db/put-needs.ts';
import { putReadings } from '../db/readings.ts';
import { insertSeen, noSubjectId, readSeen } from '../db/seen-events.ts';
import { loadInto, readStored } from './load-into.ts';

/**
 * Projects the topic `processor` into the tables, and facts into the outbox, in the transaction of
 * the batch. Locks the rows of all its subjects first, so whoever else has records of them waits;
 * then folds the records of each (fold-records.ts), and writes once what changed.
 */
export type ApplyRecords = (tx: Tx, batch: readonly Incoming[]) => Promise<void>;

/** Name of the projection's one source. */
export const processorSource = 'processor';

export function createApplyRecords(options: {
  logger: Logger;
  /** Name on the broker of the topic `events`, for the outbox. */
  eventsTopic: string;
  /** How long before an event a customer's metadata may have been read. */
  metadataTtlMs: number;
  observe?: Observe | undefined;
}): ApplyRecords {
  const { logger, eventsTopic, metadataTtlMs, observe } = options;

  return async function applyRecords(tx, batch) {
    const records = batch.flatMap(({ value }) => {
      const record = value as ProcessorRecord | null;
      return record && hasRealTime(record) ? [record] : [];
    });
    const about = records.filter(isAboutSomething);
    const subjects = await openSubjects(tx, about);
    const recordsOf = Map.groupBy(about, keyOf);
    const changed: Subject[] = [];
    for (const [key, known] of subjects) {
      const subject = await fold(tx, known, recordsOf.get(key)!);
      logFaults(subject);
      if (isChanged(subject)) changed.push(subject);
    }
    await writeSubjects(tx, changed, eventsTopic);
    await insertSeen(tx, [...changed.flatMap(seenIn), ...records.flatMap(seenAboutNothing)]);
    if (observe) await observe('applied');
  };

  function fold(tx: Tx, known: Subject, records: readonly ProcessorRecord[]): Promise<Subject> {
    return runDialogue(foldRecords(known, records, { metadataTtlMs }), async (missing) => {
      const [stored] = await readStored(tx, [{ subjectId: known.subjectId, ...missing }]);
      return stored!;
    });
  }

  function logFaults({ tenantId, added: { faults } }: Subject): void {
    for (const { itemId, fault: error } of faults) {
      logger.error('an item cannot be evaluated; it is kept and listed', {
        itemId,
        tenantId,
        error,
      });
    }
  }
}

function keyOf({ tenantId, subject }: ProcessorRecord): string {
  return recordKey(tenantId, subject);
}

/**
 * The schema knows the form of a time, not whether there is such a day; we never wrote such a one.
 */
function hasRealTime({ receivedAt }: ProcessorRecord): boolean {
  return !Number.isNaN(Date.parse(receivedAt));
}

/**
 * An event about a subject is, too, when nothing is taken from it: what is asked may have changed.
 */
function isAboutSomething(record: ProcessorRecord): boolean {
  if (record.type === 'received' && record.object && !record.ignored) return true;
  return itemOf(record) !== undefined || readingsOf(record).length > 0;
}

/** Holds the subjects of the records, and reads what the records can bear on. */
async function openSubjects(
  tx: Tx,
  records: readonly ProcessorRecord[],
): Promise<Map<string, Subject>> {
  const named = new Map(records.map((record) => [keyOf(record), record]));
  if (named.size === 0) return new Map();
  const locked = await lockSubjects(tx, [...named.values()]);
  const byKey = new Map(locked.map((s) => [recordKey(s.tenantId, s.subject), s]));
  const byId = new Map(locked.map((s) => [s.subjectId, s]));
  if (locked.every(({ fresh }) => fresh)) return byKey;
  const received = records.flatMap((record) => {
    const { subjectId } = byKey.get(keyOf(record))!;
    return record.type === 'received' ? [{ ...record, subjectId }] : [];
  });
  for (const { subjectId, key } of await readSeen(tx, received)) byId.get(subjectId)!.seen.add(key);
  const items = await readItems(tx, {
    subjectIds: locked.map(({ subjectId }) => subjectId),
    itemIds: records.flatMap((record) => itemOf(record)?.itemId ?? []),
    readingKeys: records.flatMap(keysOf),
  });
  for (const { subjectId, kept } of items) byId.get(subjectId)!.items.set(kept.item.itemId, kept);
  const wanted = new Map(locked.map((subject) => [subject, [customerKey(subject)]]));
  for (const subject of locked) {
    wanted.get(subject)!.push(...[...subject.items.values()].flatMap(({ asks }) => asks));
  }
  for (const record of records) {
    const subject = byKey.get(keyOf(record))!;
    wanted.get(subject)!.push(...keysOf(record));
  }
  await loadInto(
    tx,
    [...wanted].map(([subject, readingKeys]) => ({ subject, readingKeys, invoiceIds: [] })),
  );
  return byKey;
}

function keysOf(record: ProcessorRecord): string[] {
  return readingsOf(record).map(({ type, id }) => readingKey(type, id));
}

/** Whose metadata almost every evaluation asks for. */
function customerKey({ subject }: Subject): string {
  return readingKey('customer', subject);
}

function isChanged({ added: { seen, itemIds, readings } }: Subject): boolean {
  return seen.length > 0 || itemIds.size > 0 || readings.size > 0;
}

async function writeSubjects(
  tx: Tx,
  subjects: readonly Subject[],
  eventsTopic: string,
): Promise<void> {
  if (subjects.length === 0) return;
  await putReadings(tx, subjects.flatMap(readIn));
  await putItems(tx, subjects.flatMap(evaluatedIn));
  const facts = subjects.flatMap(({ subjectId, tenantId, added }) =>
    added.facts.map((fact) => ({ subjectId, tenantId, ...fact })),
  );
  await insertFacts(tx, facts);
  await enqueue(
    tx,
    facts.map(({ tenantId, purchase: { newUserId }, value }) => ({
      topic: eventsTopic,
      key: recordKey(tenantId, newUserId),
      value,
    })),
  );
  await putLastEvents(tx, subjects);
  await loadInto(tx, subjects.map(neededIn));
  await putNeeds(
    tx,
    subjects.map((subject) => ({
      subject,
      wanted: wantedNeeds(subject),
      readKeys: subject.added.readings,
    })),
  );
}

/** What its needs are answered by so far, whether an evaluation asked for it or not. */
function neededIn(subject: Subject) {
  const needs = [...subject.items.values()].flatMap((kept) => kept.needs);
  const readingKeys = needs.map(({ type, id }) => readingKey(type, id));
  return { subject, readingKeys, invoiceIds: [] };
}

function readIn({ subjectId, readings, added }: Subject) {
  return [...added.readings].map((key) => ({ subjectId, key, reading: readings.get(key)! }));
}

function evaluatedIn({ subjectId, items, added }: Subject) {
  return [...added.itemIds].map((itemId) => ({ subjectId, kept: items.get(itemId)! }));
}

function seenIn({ subjectId, added }: Subject) {
  return added.seen.map((event) => ({ subjectId, ...event }));
}

function seenAboutNothing(record: ProcessorRecord) {
  if (record.type !== 'received' || isAboutSomething(record)) return [];
  return [{ subjectId: noSubjectId, ...seenOf(record, undefined) }];
}

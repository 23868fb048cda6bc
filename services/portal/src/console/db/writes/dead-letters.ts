import {
  type DeadLetterActionRecord,
  type DeadLetterFact,
  deadLetterItemId,
  type DeadLetterRecord,
} from '@tributary/contracts/dead-letter-record';
import { oneOfEach } from '@tributary/event-log/newest-of';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';

/** Records that were put aside, by whom, and what operators did about them; facts, written once. */
export async function writeDeadLetters(
  tx: Tx,
  batch: readonly Incoming<DeadLetterFact>[],
): Promise<void> {
  const letters: Letter[] = [];
  const actions: DeadLetterActionRecord[] = [];
  for (const { value, timestampMs } of batch) {
    if (value?.type === 'put-aside') {
      letters.push({ itemId: deadLetterItemId(value.origin), at: timeOf(timestampMs), ...value });
    } else if (value !== null) {
      actions.push(value);
    }
  }
  await insertItems(tx, letters);
  await insertReaders(tx, letters);
  await writeDeadLetterActions(tx, actions);
}

/** `at`: when the log got the letter. */
type Letter = DeadLetterRecord & { itemId: string; at: string };

async function insertItems(tx: Tx, letters: readonly Letter[]): Promise<void> {
  if (letters.length === 0) return;
  const items = oneOfEach(letters, ({ itemId }) => itemId);
  await tx.query({
    name: 'write_dead_letters',
    text: `insert into dead_letter (item_id, topic, origin_at, record, value)
           select item_id, topic, origin_at, record, value
           from unnest($1::text[], $2::text[], $3::text[], $4::json[], $5::text[])
             as next (item_id, topic, origin_at, record, value)
           order by item_id collate "C"
           on conflict (item_id) do nothing`,
    values: [
      items.map(({ itemId }) => itemId),
      items.map(({ origin }) => origin.topic),
      items.map(({ originTimestampMs }) => timeOf(originTimestampMs)),
      items.map(({ itemId: _i, at: _a, value: _v, ...record }) => JSON.stringify(record)),
      items.map(({ value }) => value?.replaceAll('\0', '') ?? null),
    ],
  });
}

async function insertReaders(tx: Tx, letters: readonly Letter[]): Promise<void> {
  if (letters.length === 0) return;
  const readers = oneOfEach(letters, ({ itemId, reader }) => `${itemId} ${reader}`);
  await tx.query({
    name: 'write_dead_letter_readers',
    text: `insert into dead_letter_reader (item_id, reader, reason, put_aside_at, record)
           select item_id, reader, reason, put_aside_at, record
           from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::json[])
             as next (item_id, reader, reason, put_aside_at, record)
           order by item_id collate "C", reader collate "C"
           on conflict (item_id, reader) do nothing`,
    values: [
      readers.map(({ itemId }) => itemId),
      readers.map(({ reader }) => reader),
      readers.map(({ reason }) => reason),
      readers.map(({ at }) => at),
      readers.map(({ reader, reason, detail, at }) =>
        JSON.stringify({ reader, reason, detail, putAsideAt: at }),
      ),
    ],
  });
}

/** Also called by whoever has just appended an action, so that the next look sees it. */
export async function writeDeadLetterActions(
  tx: Tx,
  records: readonly DeadLetterActionRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const named = records.map((record) => ({ record, itemId: deadLetterItemId(record.origin) }));
  const actions = oneOfEach(named, ({ record, itemId }) => `${itemId} ${record.type}`);
  await tx.query({
    name: 'write_dead_letter_actions',
    text: `insert into dead_letter_action (item_id, type, record)
           select item_id, type, record
           from unnest($1::text[], $2::text[], $3::json[]) as next (item_id, type, record)
           order by item_id collate "C", type collate "C"
           on conflict (item_id, type) do nothing`,
    values: [
      actions.map(({ itemId }) => itemId),
      actions.map(({ record }) => record.type),
      actions.map(({ record }) => JSON.stringify(record)),
    ],
  });
}

/** A time that no text of ours can say must not stop the partition. */
function timeOf(epochMs: number): string {
  const isSound = epochMs >= 0 && epochMs < 253_402_300_800_000;
  return new Date(isSound ? epochMs : 0).toISOString();
}

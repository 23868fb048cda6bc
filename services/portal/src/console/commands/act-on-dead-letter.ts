import {
  type DeadLetterActionRecord,
  deadLetterActionId,
  deadLetterCodec,
  deadLetterSchemaVersion,
} from '@tributary/contracts/dead-letter-record';
import { topics } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import type { Clock } from '@tributary/runtime/clock';
import { allowIdle, inTransaction, type Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { validateRedrive } from '../domain/validate-redrive.ts';
import { type DeadLetterItem, findDeadLetter, lockDeadLetter } from '../db/queries/dead-letters.ts';
import { writeDeadLetterActions } from '../db/writes/dead-letters.ts';

/**
 * What operators do about a record that was put aside. The log is told first, and awaited:
 *
 *   validated ──▶ its bytes appended to its topic ──▶ the action appended ──▶ the action in the tables
 *
 * A crash after any arrow leaves the item open, or open until the projection has read the action.
 * Then the same is done again, which changes nothing: a record that is twice on its topic is taken
 * once, by its id or its version, and an action has an id that follows from what it is about.
 *
 * Operators who act on one item at the same time, through whichever process, do so one after the
 * other (an advisory lock of the database, held while the log is written): the second one meets
 * what the first one did, since that is in the tables before the lock is given back.
 */
export type DeadLetterLog = {
  appender: Pick<Appender, 'append'>;
  clock: Clock;
  /** The prefix of all topics of the deployment. */
  prefix: string;
  /** Where letters and actions are. */
  topic: string;
  /** Topics of generations can be gone. */
  hasTopic(name: string): Promise<boolean>;
};

export type Note = { by: string; note?: string | undefined };

export type ActedOn =
  | { outcome: 'done'; item: DeadLetterItem }
  | { outcome: 'no-item' }
  | { outcome: 'refused'; why: string };

/** @throws {AppendRefused} when the log does not take it now; asking again is right. */
export async function redriveDeadLetter(
  pool: pg.Pool,
  log: DeadLetterLog,
  itemId: string,
  note: Note,
): Promise<ActedOn> {
  return oneAtATime(pool, itemId, async (tx, item) => {
    if (item.status === 'redriven') return { outcome: 'done', item };
    const validation = validateRedrive(item, log.prefix);
    if (validation.outcome === 'refused') return validation;
    const { topic, entry } = validation;
    if (topics[topic].generational && !(await log.hasTopic(entry.topic))) {
      return { outcome: 'refused', why: `${entry.topic} was dropped with its generation.` };
    }
    await log.appender.append([entry]);
    return record(tx, log, item, 'redriven', note);
  });
}

/** Says that nothing is to be done. @throws {AppendRefused} */
export async function discardDeadLetter(
  pool: pg.Pool,
  log: DeadLetterLog,
  itemId: string,
  note: Note,
): Promise<ActedOn> {
  return oneAtATime(pool, itemId, async (tx, item) => {
    if (item.status === 'discarded') return { outcome: 'done', item };
    if (item.status === 'redriven') {
      return { outcome: 'refused', why: 'It was already redriven: it is on its topic again.' };
    }
    return record(tx, log, item, 'discarded', note);
  });
}

/** Two appends, each of which is refused after 5 s. */
const maxAppendsMs = 15_000;

type Found = DeadLetterItem & { value: string | null };

async function oneAtATime(
  pool: pg.Pool,
  itemId: string,
  act: (tx: Tx, item: Found) => Promise<ActedOn>,
): Promise<ActedOn> {
  return inTransaction(pool, async (tx) => {
    // Nobody else is kept out but who acts on the same letter.
    await allowIdle(tx, maxAppendsMs);
    await lockDeadLetter(tx, itemId);
    const item = await findDeadLetter(tx, itemId);
    return item === undefined ? { outcome: 'no-item' } : act(tx, item);
  });
}

async function record(
  tx: Tx,
  { appender, clock, topic: logTopic }: DeadLetterLog,
  item: Found,
  type: DeadLetterActionRecord['type'],
  { by, note }: Note,
): Promise<ActedOn> {
  const { topic, partition, offset, key } = item.origin;
  const origin = { topic, partition, offset };
  const action: DeadLetterActionRecord = {
    schemaVersion: deadLetterSchemaVersion,
    type,
    actionId: deadLetterActionId(origin, type),
    origin,
    by,
    ...(note !== undefined && { note }),
    at: clock.now().toISOString(),
  };
  // Under the key of the letters, so behind them.
  const entry = { topic: logTopic, key: key ?? '', value: deadLetterCodec.encode(action) };
  await appender.append([entry]);
  await writeDeadLetterActions(tx, [action]);
  const { status: _status, actions, ...rest } = item;
  return { outcome: 'done', item: { ...rest, status: type, actions: [...actions, action] } };
}

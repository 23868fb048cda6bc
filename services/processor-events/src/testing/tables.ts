import type { EventRecord } from '@tributary/contracts/event-record';
import { takeOutbox } from '@tributary/event-log/testing';
import type pg from 'pg';

/** What was folded, without ids that are given out by the database. */
export async function readFolded(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  const read = async (text: string) => (await pool.query<Record<string, unknown>>(text)).rows;
  return {
    items: await read(
      `select subject, item_id, connection_id, type, item, known_since, state, reason, detail,
         needs, asks, event_ids, open
       from item join subject using (subject_id) order by subject, item_id`,
    ),
    readings: await read(
      `select subject, type, id, received_at, object
       from reading join subject using (subject_id) order by subject, type, id`,
    ),
    facts: await read(
      `select subject, event_id, item_id, invoice_id, tax_policy, record
       from fact join subject using (subject_id) order by subject, event_id`,
    ),
    needs: await read(
      `select need.subject, type, id, connection_id, since, due_at, asked_for, answered
       from need order by subject, type, id`,
    ),
    seen: await read(
      `select connection_id, processor_event_id, kind, api_version, received_at, item_id
       from seen order by connection_id, processor_event_id`,
    ),
    lastEvents: await read(
      'select subject, last_event_at, last_connection_id from subject order by subject',
    ),
  };
}

/** Facts that were enqueued, in their order; taken out. */
export async function takeFacts(pool: pg.Pool): Promise<EventRecord[]> {
  return (await takeOutbox(pool)).map(({ value }) => JSON.parse(value!) as EventRecord);
}

export async function readNeeds(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ need: string }>(
    `select type || ':' || id as need from need order by 1`,
  );
  return rows.map(({ need }) => need);
}

export async function stateOf(pool: pg.Pool, objectId: string): Promise<string> {
  const { rows } = await pool.query<{ item: { objectId: string }; state: string }>(
    `select item, state || coalesce(' ' || reason, '') as state from item`,
  );
  const own = rows.filter(({ item }) => item.objectId === objectId);
  return own.map(({ state }) => state).join(', ');
}

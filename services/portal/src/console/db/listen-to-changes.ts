import type pg from 'pg';
import { changesChannel } from './writes/announce-changes.ts';

/** From now on the connection is told what is announced. */
export async function listenToChanges(client: pg.Client): Promise<void> {
  await client.query(`listen ${changesChannel}`);
}

/** @throws when the server does not answer. */
export async function askForLife(client: pg.Client): Promise<void> {
  await client.query('select 1');
}

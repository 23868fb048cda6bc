import { expect } from 'chai';
import pg from 'pg';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { countOutboxRows, readLag } from './inspect.ts';

/** Whoever reads the log has read it to its end, and nobody has anything left to write there. */
export async function expectNothingUnderWay(demo: Demo): Promise<void> {
  const db = new pg.Client({ connectionString: demo.postgresUrl });
  await db.connect();
  try {
    expect(await countOutboxRows(db), 'outbox rows').to.equal(0);
    expect(await readLag(demo, db), 'lag').to.equal(0);
  } finally {
    await db.end();
  }
}

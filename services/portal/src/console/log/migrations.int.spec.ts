import { deliveryCodec } from '@tributary/contracts/delivery-record';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import pg from 'pg';

describe('migrations of the read model', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const run = async (name: string) => {
    const file = new URL(`../../../migrations/read-model/${name}`, import.meta.url);
    await client.query(await readFile(file, 'utf8'));
  };

  it('bring attempts of version 1 to what their codec makes of them', async () => {
    await run('0001_read_model.sql');
    const older = {
      schemaVersion: 1,
      tenantId: 'acme',
      webhookEventId: '00000000-0000-7000-8000-000000000001',
      issuanceId: '00000000-0000-7000-8000-000000000002',
      attempt: 3,
      outcome: 'failed',
      result: 'timeout',
      startedAt: '2026-03-01T12:00:00.000Z',
      durationMs: 10_000,
      nextAttemptAt: '2026-03-01T12:01:00.000Z',
    };
    await client.query(
      `insert into delivery (webhook_event_id, attempt, tenant_id, issuance_id, started_at, record)
       values ($1, 3, 'acme', $2, $3, $4)`,
      [older.webhookEventId, older.issuanceId, older.startedAt, JSON.stringify(older)],
    );
    await run('0002_delivery_facts.sql');
    const { rows } = await client.query<{ record: unknown }>('select record from delivery');
    const decoded = deliveryCodec.decode(Buffer.from(JSON.stringify(older)));
    expect(decoded).to.deep.include({ value: rows[0]?.record });
  });
});

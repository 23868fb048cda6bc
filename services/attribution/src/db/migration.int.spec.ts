import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventRecord } from '@tributary/contracts/event-record';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { createLogger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import pg from 'pg';
import { toHolder } from '@tributary/attribution-fold/claim';
import { decisionOn } from '@tributary/attribution-fold/decision';
import { toFact } from '@tributary/attribution-fold/fact';
import { decideFromScratch } from '@tributary/attribution-fold/decide-from-scratch';
import { type Parts, startParts } from '../testing/parts.ts';
import {
  code,
  purchase,
  refund,
  revision,
  signup,
} from '@tributary/attribution-fold/testing/records';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('rows of the first release of attribution', () => {
  const schema = 'attribution_g1';
  let database: TestDatabase;
  let firstOnly: string;
  let parts: Parts | undefined;

  before(async () => {
    database = await createDatabase();
    firstOnly = await mkdtemp(join(tmpdir(), 'attribution-migrations-'));
    const first = '0001_attribution.sql';
    const from = fileURLToPath(new URL(`../../migrations/${first}`, import.meta.url));
    await copyFile(from, join(firstOnly, first));
    await migrate({
      settings: { url: database.url },
      schema,
      sets: [eventLogMigrations, { dir: firstOnly, table: 'migration_attribution' }],
      logger,
    });
  });

  after(async () => {
    await parts?.stop();
    await rm(firstOnly, { recursive: true });
    await database.drop();
  });

  it('are decided again by all rules, and take what comes later', async () => {
    // A name that JSON escapes in more than one way.
    const invoiceId = 'in"v\\1\u0001\u001f\té\u2028';
    const older: EventRecord[] = [
      purchase(1, { userId: 'u', invoiceId }),
      refund(2, { userId: 'v', invoiceId, amount: 100 }),
      refund(3, { userId: 'v', invoiceId: 'not-yet', amount: 100 }),
      signup(4, { userId: 'bert' }),
      purchase(8, { userId: 'x', invoiceId }),
      purchase(5, { userId: 'anna', ucc: 'bert-code', occurredAt: '2026-03-02T00:00:00Z' }),
    ];
    const codes = [code(), code({ ucc: 'bert-code', productUserId: 'bert' })];
    const revisions = [revision()];
    await storeAsFirstRelease(older, codes, revisions);

    parts = await startParts({ url: database.url });
    await parts.sweep();
    expect(await parts.current()).to.deep.equal(
      decideFromScratch({ events: older, codes, revisions }),
    );

    const later = [
      purchase(6, { userId: 'w', invoiceId: 'not-yet' }),
      signup(7, { userId: 'u' }),
      // Takes the invoice from the first, and the other one names it then.
      purchase(9, { userId: 'y', invoiceId, occurredAt: '2026-02-01T00:00:00Z' }),
    ];
    await parts.apply('events', ...later);
    await parts.sweep();
    expect(await parts.current()).to.deep.equal(
      decideFromScratch({ events: [...older, ...later], codes, revisions }),
    );
  });

  /** What the first release had written of these: every event waiting, as it happens. */
  async function storeAsFirstRelease(
    events: readonly EventRecord[],
    codes: readonly ReturnType<typeof code>[],
    revisions: readonly ReturnType<typeof revision>[],
  ): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`set search_path to ${schema}`);
    for (const fact of events.map(toFact)) {
      const { event, businessKey } = fact;
      const { tenantId, eventId, newUser, ucc } = event;
      await client.query('insert into fact values ($1, $2, $3, $4, $5, $6)', [
        ...[eventId, tenantId, newUser.id, ucc, businessKey],
        JSON.stringify(event),
      ]);
      const { source, occurredAtSeconds, receivedAt, amount, currency } = toHolder(fact);
      await client.query(
        `insert into claim values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict do nothing`,
        [
          ...[tenantId, businessKey, eventId, newUser.id, source, occurredAtSeconds, receivedAt],
          ...[amount, currency],
        ],
      );
      await client.query('insert into referred_user values ($1, $2) on conflict do nothing', [
        ...[tenantId, newUser.id],
      ]);
      const waiting = { outcome: 'waiting', reason: 'unknown-code', flags: [], tests: [] } as const;
      const { schemaVersion: _, ...content } = decisionOn(fact, {
        ...waiting,
        flags: [],
        tests: [],
      });
      await client.query(
        `insert into decision (event_id, tenant_id, version, outcome, occurred_at_seconds,
           folded_under, record) values ($1, $2, 1, 'waiting', $3, 0, $4)`,
        [eventId, tenantId, occurredAtSeconds, { ...content, schemaVersion: 2, version: 1 }],
      );
    }
    for (const record of codes) {
      const { tenantId, ucc, version } = record;
      await client.query('insert into code values ($1, $2, $3, $4)', [
        ...[tenantId, ucc, version, JSON.stringify(record)],
      ]);
    }
    for (const { tenantId, campaignId, revision: n, status, effectiveFrom } of revisions) {
      await client.query('insert into campaign_revision values ($1, $2, $3, $4, $5, $6)', [
        ...[tenantId, campaignId, n, status, effectiveFrom, '1767225600'],
      ]);
    }
    await client.query(`insert into tenant values ('t1', 1)`);
    await client.end();
  }
});

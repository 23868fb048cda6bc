import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import type { TestPortal } from './test-portal.ts';

/** A time that an export may have begun at, once the portal has read the log up to there. */
export async function timeOfExport(portal: TestPortal, tenantId: string): Promise<string> {
  const exportedUntil = new Date(Date.now() + 400).toISOString();
  await eventually(
    async () => {
      const { body } = await portal.call('GET', `/api/tenants/${tenantId}/events`);
      expect(body['asOf']).to.satisfy((at: string | null) => at !== null && at >= exportedUntil);
    },
    { deadlineMs: 30_000 },
  );
  return exportedUntil;
}

/** A session of the portal's database, in which a test stands in the way of others. */
export async function openSession(postgresUrl: string) {
  const options = '-c search_path=portal';
  const client = new pg.Client({ connectionString: postgresUrl, options });
  await client.connect();
  return {
    query: (text: string, values?: unknown[]) => client.query(text, values),
    end: () => client.end(),
    /** Until at least as many as this wait for a lock of the given kind. */
    waiting: (count: number, kind: 'advisory' | 'relation' | 'transactionid') =>
      eventually(async () => {
        const { rowCount } = await client.query(
          `select from pg_stat_activity where datname = current_database()
             and wait_event_type = 'Lock' and wait_event = $1`,
          [kind],
        );
        expect(rowCount).to.be.at.least(count);
      }),
  };
}

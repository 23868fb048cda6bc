import { createPool } from '@tributary/runtime/postgres';
import { silentLogger } from '@tributary/event-log/testing';
import type pg from 'pg';
import { operatorToken, startTestPortal } from '../../services/portal/src/testing/test-portal.ts';
import { type Benchmark, percentile } from '../report.ts';
import { busiest, days, firstDay, seed, somebody } from './seed.ts';

/** The longest that people should wait for a list. */
const wantedMs = 300;
const schema = 'portal_read';

/**
 * Every list, count and series of the admin API over so many events, through HTTP, one request
 * after the other; beside one round trip to Postgres that reads nothing.
 */
export const benchPortal: Benchmark = async ({ progress, events, rounds }) => {
  progress('starting Kafka, Postgres and the portal');
  const portal = await startTestPortal();
  const pool = createPool(
    { url: portal.postgresUrl, schema, poolSize: 3 },
    { applicationName: 'bench', logger: silentLogger },
  );
  try {
    await portal.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
    await portal.call('PUT', '/api/tenants/acme/campaigns/spring', campaign);
    const began = performance.now();
    await seed(pool, events, progress);
    const seconds = (performance.now() - began) / 1_000;
    progress(`seeded in ${seconds.toFixed(0)} s`);
    const bytes = await bytesPerEvent(pool, events);
    const often = rounds * 10;
    const bare = await time(often, () => pool.query('select 1'));
    const rows: Row[] = [];
    for (const [name, path] of questions()) {
      const ask = () => get(`${portal.baseUrl}/api/tenants/acme/${path}`);
      rows.push({ name, ...(await time(often, ask)), bytes: (await ask()).bytes });
    }
    return report({ events, bytes, bare, rows });
  } finally {
    await pool.end();
    await portal.stop();
  }
};

type Times = { p50: number; p95: number };
type Row = Times & { name: string; bytes: number };

function questions(): [string, string][] {
  const midnight = (day: number) => new Date(firstDay + day * 86_400_000).toISOString();
  const period = `from=${midnight(30)}&to=${midnight(37)}`;
  const all = `from=${midnight(0)}&to=${midnight(days)}`;
  const odd = `from=2026-02-03T04:05:06Z&to=2026-03-04T05:06:07Z`;
  const lists: [string, string][] = [
    ['events', 'events'],
    ['events, 200 of them', 'events?limit=200'],
    ['events, the oldest', 'events?order=oldest'],
    ['events of a period', `events?${period}`],
    ['events by common type', 'events?type=purchase-created'],
    ['events, nothing: legacy', 'events?source=legacy'],
    ['events, nothing: demo', 'events?type=demo-attended'],
    ['events by outcome', 'events?outcome=waiting'],
    ['events, pending', 'events?outcome=pending'],
    ['events by reason', 'events?reason=outside-window'],
    ['events, nothing: reason', 'events?reason=self-referral'],
    [
      'events by four members',
      'events?type=purchase-created&source=processor&outcome=not-attributed&campaign=winter',
    ],
    ['events, nothing: campaign', 'events?campaign=none'],
    ['events of the busiest referrer', `events?referrer=${busiest}`],
    ['the same, nothing: source', `events?referrer=${busiest}&source=legacy`],
    ['events of the busiest code', `events?code=code-0&outcome=waiting`],
    ['events of a user', `events?user=${somebody}`],
    ['events, nothing: user', 'events?user=nobody'],
    ['events, nothing: invoice', 'events?invoice=none'],
    ['rewards', 'rewards'],
    ['rewards, 200 of them', 'rewards?limit=200'],
    ['rewards in review', 'rewards?state=review'],
    ['rewards, withheld', 'rewards?state=withheld'],
    ['rewards, issued', 'rewards?state=issued'],
    ['rewards, nothing: capped', 'rewards?state=capped'],
    ['rewards, nothing: rule', 'rewards?rule=none'],
    ['rewards, nothing: role', 'rewards?role=new-user'],
    ['rewards by three members', 'rewards?state=review&campaign=winter&rule=purchase-created'],
    ['rewards of the busiest recipient', `rewards?recipient=${busiest}`],
    ['the same, in review', `rewards?recipient=${busiest}&state=review`],
    ['issuances', 'issuances'],
    ['issuances of a campaign', 'issuances?campaign=winter'],
    ['issuances, nothing: recipient', 'issuances?recipient=nobody'],
    ['codes', 'codes'],
    ['codes by beginning', 'codes?q=code-19'],
    ['codes, nothing', 'codes?q=zzz'],
    ['codes, disabled', 'codes?state=disabled'],
  ];
  return [
    ...lists,
    ['users', 'users'],
    ['users by beginning', 'users?q=user-19'],
    ['users by e-mail', 'users?q=ada.4'],
    ['users by last name', 'users?q=dora1'],
    ['users, nothing', 'users?q=zzz'],
    ['count of events', 'events/counts'],
    ['count of events of days', `events/counts?${period}`],
    ['count of events of an odd period', `events/counts?${odd}`],
    ['count of the busiest referrer', `events/counts?referrer=${busiest}`],
    ['count of rewards', 'rewards/counts'],
    ['count of rewards in review', 'rewards/counts?state=review'],
    ['count of the busiest recipient', `rewards/counts?recipient=${busiest}`],
    ['count of issuances', 'issuances/counts'],
    ...['events', 'rewards', 'credits', 'deliveries'].map((of): [string, string] => [
      `series of ${of}`,
      `series?of=${of}&${all}`,
    ]),
    ['balance of a campaign', 'campaigns/spring/balance'],
    ['balance of the busiest recipient', `recipients/${busiest}/balance`],
    ['timeline of the busiest', `timeline?user=${busiest}`],
    ['search', `search?q=${busiest}`],
    ['search, nothing', 'search?q=nothing'],
  ];
}

async function get(url: string): Promise<{ bytes: number }> {
  const headers = { authorization: `Bearer ${operatorToken}` };
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text}`);
  return { bytes: text.length };
}

/** A few first that do not count: plans are made and pages read. */
async function time(often: number, ask: () => Promise<unknown>): Promise<Times> {
  for (let i = 0; i < 3; i++) await ask();
  const times: number[] = [];
  for (let i = 0; i < often; i++) {
    const began = performance.now();
    await ask();
    times.push(performance.now() - began);
  }
  return { p50: percentile(times, 50), p95: percentile(times, 95) };
}

async function bytesPerEvent(pool: pg.Pool, events: number): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(format('%I.%I', schemaname, tablename))) as bytes
     from pg_tables where schemaname = $1`,
    [schema],
  );
  return Number(rows[0]?.bytes) / events;
}

function report(measured: { events: number; bytes: number; bare: Times; rows: readonly Row[] }) {
  const { events, bytes, bare, rows } = measured;
  const ms = (value: number) => value.toFixed(1);
  const slowest = Math.max(...rows.map(({ p95 }) => p95));
  const late = rows.filter(({ p95 }) => p95 > wantedMs);
  return {
    name: 'portal',
    figures: {
      events,
      'slowest p95 ms': slowest,
      'bare p95 ms': bare.p95,
      'read model bytes per event': bytes,
      ...Object.fromEntries(rows.map(({ name, p95 }) => [`${name}, p95 ms`, p95])),
    },
    ratios: { 'slowest p95 / bare round trip': slowest / bare.p95 },
    tables: [
      [
        [`of ${events} events`, 'p50 ms', 'p95 ms', 'bytes'],
        ['select 1, no HTTP', ms(bare.p50), ms(bare.p95), ''],
        ...rows.map(({ name, p50, p95, bytes: size }) => [name, ms(p50), ms(p95), size]),
      ],
    ],
    notes: [
      `read model: ${Math.round(bytes)} bytes an event in tables and indexes`,
      late.length === 0
        ? `all within ${wantedMs} ms at p95`
        : `beyond ${wantedMs} ms at p95: ${late.map(({ name }) => name).join('; ')}`,
    ],
  };
}

const campaign = {
  name: 'Spring',
  landingUrl: 'https://example.com/join',
  rules: [
    {
      ruleId: 'signup',
      trigger: 'signup-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '5' },
    },
  ],
};

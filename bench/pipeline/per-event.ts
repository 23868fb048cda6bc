import type { EventRecord } from '@tributary/contracts/event-record';
import { withClient } from '@tributary/testkit/database';
import type pg from 'pg';
import { type BenchServers } from './servers.ts';
import type { Workload } from './workload.ts';
import { rulesByCampaign } from './workload-rules.ts';

/**
 * The usual way, for comparison: one transaction per event with the statements that come to mind.
 * It takes events as they come, keeps no explanation, no order and no version, and cannot correct
 * what it once decided; otherwise it does the same for this workload, up to the row of a payout.
 * With one connection it is a consumer that takes message after message, with ten a web server and
 * its pool.
 */
export async function runPerEvent(options: {
  servers: BenchServers;
  workload: Workload;
  sample: number;
  connections: number;
  /** Names a database of its own. */
  name: string;
  progress: (line: string) => void;
}): Promise<{ events: number; seconds: number }> {
  const { servers, workload, connections, name, progress } = options;
  const events = workload.events.slice(0, options.sample);
  progress(`one transaction per event, ${connections} at once: ${events.length} events`);
  const url = await servers.createDatabase(name);
  await withClient(url, (db) => prepare(db, workload));

  const todo = events.values();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: connections }, () =>
      withClient(url, async (db) => {
        for (const event of todo) await applyEvent(db, event);
      }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  await withClient(url, (db) => requireAll(db, events));
  await servers.dropDatabase(name);
  return { events: events.length, seconds };
}

/** Every event is there and decided, and the books sum to zero. */
async function requireAll(db: pg.Client, events: readonly EventRecord[]): Promise<void> {
  const { rows } = await db.query<{ events: number; decisions: number; books: string }>(
    `select (select count(*)::int from event) as events,
       (select count(*)::int from decision) as decisions,
       (select coalesce(sum(credits), 0)::text from ledger) as books`,
  );
  const { books, ...counts } = rows[0]!;
  const sent = new Set(events.map(({ eventId }) => eventId)).size;
  if (counts.events === sent && counts.decisions === sent && Number(books) === 0) return;
  throw new Error(`${sent} events were sent, this is there: ${JSON.stringify(rows[0])}`);
}

const tables = `
  create table code (tenant_id text, ucc text, owner text, campaign text,
    primary key (tenant_id, ucc));
  create table event (event_id text primary key, tenant_id text, user_id text, type text,
    business_key text, occurred_at timestamptz, record json);
  create index on event (tenant_id, business_key);
  create index on event (tenant_id, user_id);
  create table decision (event_id text primary key, outcome text, reason text, owner text,
    campaign text);
  create table recipient (tenant_id text, recipient_id text, balance numeric not null default 0,
    primary key (tenant_id, recipient_id));
  create table entitlement (id bigint generated always as identity primary key, tenant_id text,
    recipient_id text, campaign text, user_id text, business_key text, rule text, credits numeric,
    occurred_at timestamptz, unique (tenant_id, business_key, rule));
  create index on entitlement (tenant_id, recipient_id, campaign, occurred_at);
  create table ledger (id bigint generated always as identity primary key, entitlement_id bigint,
    event_id text, account text, credits numeric, at timestamptz default now());
  create index on ledger (entitlement_id);
  create table payout (id bigint generated always as identity primary key, entitlement_id bigint,
    recipient_id text, credits numeric, sent_at timestamptz)`;

async function prepare(db: pg.Client, { codes }: Workload): Promise<void> {
  await db.query(tables);
  await db.query(
    `insert into code select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])`,
    [
      codes.map((code) => code.tenantId),
      codes.map((code) => code.ucc),
      codes.map((code) => code.productUserId),
      codes.map((code) => code.campaignId),
    ],
  );
}

async function applyEvent(db: pg.Client, event: EventRecord): Promise<void> {
  await db.query('begin');
  const businessKey = businessKeyOf(event);
  const { eventId, tenantId, newUser, eventType, occurredAt } = event;
  const inserted = await db.query(
    `insert into event values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [eventId, tenantId, newUser.id, eventType, businessKey, occurredAt, JSON.stringify(event)],
  );
  if (inserted.rowCount === 1) await decide(db, event, businessKey);
  await db.query('commit');
}

async function decide(db: pg.Client, event: EventRecord, businessKey: string): Promise<void> {
  const { tenantId, eventId, ucc } = event;
  const codes = await db.query<{ owner: string; campaign: string }>(
    'select owner, campaign from code where tenant_id = $1 and ucc = $2',
    [tenantId, ucc],
  );
  const duplicates = await db.query(
    'select 1 from event where tenant_id = $1 and business_key = $2 and event_id <> $3 limit 1',
    [tenantId, businessKey, eventId],
  );
  const code = codes.rows[0];
  const reason = !code ? 'unknown-code' : duplicates.rowCount ? 'duplicate' : null;
  await db.query('insert into decision values ($1, $2, $3, $4, $5)', [
    eventId,
    reason === null ? 'attributed' : 'not-attributed',
    reason,
    code?.owner,
    code?.campaign,
  ]);
  if (!code || reason !== null) return;
  if (event.eventType === 'purchase-refunded') return takeBack(db, event);
  await grant(db, event, { businessKey, ...code });
}

const issuedAtOnce = (campaign: string) =>
  !rulesByCampaign[campaign]!.some(({ holdDays = 0 }) => holdDays > 0);

type Granted = { businessKey: string; owner: string; campaign: string };

async function grant(db: pg.Client, event: EventRecord, granted: Granted): Promise<void> {
  const { businessKey, owner, campaign } = granted;
  const { tenantId, newUser } = event;
  await lockRecipient(db, tenantId, owner);
  const credits = await creditsFor(db, event, granted);
  const pay = async (recipient: string, rule: string, amount: string) => {
    const { rows } = await db.query<{ id: string }>(
      `insert into entitlement (tenant_id, recipient_id, campaign, user_id, business_key, rule,
         credits, occurred_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (tenant_id, business_key, rule) do nothing returning id`,
      [tenantId, recipient, campaign, newUser.id, businessKey, rule, amount, event.occurredAt],
    );
    if (!rows[0]) return;
    await post(db, event, { entitlement: rows[0].id, recipient, credits: amount });
    if (!issuedAtOnce(campaign)) return;
    await db.query(
      'insert into payout (entitlement_id, recipient_id, credits) values ($1, $2, $3)',
      [rows[0].id, recipient, amount],
    );
  };
  if (Number(credits) > 0) await pay(owner, 'referrer', credits);
  if (campaign === 'both-sides' && Number(credits) > 0) {
    await lockRecipient(db, tenantId, newUser.id);
    await pay(newUser.id, 'new-user', '5');
  }
}

/** The rules of the workload, each with the look back that it needs. */
async function creditsFor(
  db: pg.Client,
  event: EventRecord,
  { owner, campaign }: Granted,
): Promise<string> {
  if (event.eventType === 'signup-created') return campaign === 'fixed' ? '1' : '0';
  if (event.eventType === 'demo-attended') return campaign === 'fixed' ? '2.50' : '0';
  if (event.eventType !== 'purchase-created') return '0';
  const { amount } = event.purchase;
  const of = [event.tenantId, owner, campaign];
  if (campaign === 'fixed') return '10';
  if (campaign === 'percent-with-cap') {
    const { rows } = await db.query<{ credits: string }>(
      `select greatest(0, least(round($4::numeric / 1000, 2), 100 - coalesce(sum(credits), 0)))
         as credits
       from entitlement where tenant_id = $1 and recipient_id = $2 and campaign = $3
         and occurred_at >= date_trunc('month', $5::timestamptz at time zone 'UTC')
         and occurred_at < date_trunc('month', $5::timestamptz at time zone 'UTC')
           + interval '1 month'`,
      [...of, amount, event.occurredAt],
    );
    return rows[0]!.credits;
  }
  if (campaign === 'tiers') {
    const { rows } = await db.query<{ count: number }>(
      `select count(distinct user_id)::int as count from entitlement
       where tenant_id = $1 and recipient_id = $2 and campaign = $3 and credits > 0`,
      of,
    );
    const share = rows[0]!.count >= 7 ? 0.1 : rows[0]!.count >= 2 ? 0.075 : 0.05;
    return ((amount / 100) * share).toFixed(2);
  }
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from entitlement
     where tenant_id = $1 and recipient_id = $2 and campaign = $3 and user_id = $4`,
    [...of, event.newUser.id],
  );
  return rows[0]!.count < 2 ? '10' : '0';
}

async function takeBack(
  db: pg.Client,
  event: Extract<EventRecord, { eventType: 'purchase-refunded' }>,
): Promise<void> {
  const { rows } = await db.query<{ id: string; recipient: string; credits: string; paid: string }>(
    `select e.id, e.recipient_id as recipient, e.credits,
            p.record -> 'purchase' ->> 'amount' as paid
     from entitlement e
     join event p on p.tenant_id = e.tenant_id and p.business_key = e.business_key
     where e.tenant_id = $1 and e.business_key = $2 order by e.recipient_id`,
    [event.tenantId, purchaseKey(event.refund.invoiceId)],
  );
  for (const { id, recipient, credits, paid } of rows) {
    await lockRecipient(db, event.tenantId, recipient);
    const back = (Number(credits) * Math.min(1, event.refund.amount / Number(paid))).toFixed(2);
    await db.query('update entitlement set credits = credits - $2 where id = $1', [id, back]);
    await post(db, event, { entitlement: id, recipient, credits: `-${back}` });
  }
}

async function lockRecipient(db: pg.Client, tenantId: string, recipient: string): Promise<void> {
  await db.query('insert into recipient values ($1, $2) on conflict do nothing', [
    tenantId,
    recipient,
  ]);
  await db.query(
    'select balance from recipient where tenant_id = $1 and recipient_id = $2 for update',
    [tenantId, recipient],
  );
}

async function post(
  db: pg.Client,
  event: EventRecord,
  posting: { entitlement: string; recipient: string; credits: string },
): Promise<void> {
  const { entitlement, recipient, credits } = posting;
  await db.query(
    `insert into ledger (entitlement_id, event_id, account, credits)
     values ($1, $2, 'entitled', -$3::numeric), ($1, $2, 'owed', $3::numeric)`,
    [entitlement, event.eventId, credits],
  );
  await db.query(
    `update recipient set balance = balance + $3::numeric
     where tenant_id = $1 and recipient_id = $2`,
    [event.tenantId, recipient, credits],
  );
}

function businessKeyOf(event: EventRecord): string {
  switch (event.eventType) {
    case 'purchase-created':
      return purchaseKey(event.purchase.invoiceId);
    case 'purchase-refunded':
      return `refund:${event.refund.invoiceId}:${event.occurredAt}`;
    case 'signup-created':
    case 'demo-attended':
      return `${event.eventType}:${event.newUser.id}`;
  }
}

const purchaseKey = (invoiceId = '') => `purchase:${invoiceId}`;

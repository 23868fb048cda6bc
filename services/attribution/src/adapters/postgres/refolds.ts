import type { EventRecord } from '@tributary/contracts/event-record';
import type { Tx } from '@tributary/runtime/postgres';
import type { Fact } from '../../domain/fact.ts';
import { seekableSeconds } from './seekable-seconds.ts';

/** What touched the facts: a code, a claim that moved, or a revision of a campaign. */
export type Refold = { tenantId: string; subject: string } & (
  { scope: 'code' | 'claim' } | { scope: 'campaign'; foldedBelow: string; fromSeconds: string }
);

export async function addRefolds(tx: Tx, refolds: readonly Refold[]): Promise<void> {
  if (refolds.length === 0) return;
  await tx.query({
    name: 'add_refolds',
    text: `insert into refold (tenant_id, scope, subject, folded_below, after_seconds)
           select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::numeric[])`,
    values: [
      refolds.map((r) => r.tenantId),
      refolds.map((r) => r.scope),
      refolds.map((r) => r.subject),
      refolds.map((r) => (r.scope === 'campaign' ? r.foldedBelow : null)),
      refolds.map((r) => (r.scope === 'campaign' ? seekableSeconds(r.fromSeconds) : null)),
    ],
  });
}

export type TakenRefold = {
  refoldId: string;
  tenantId: string;
  scope: Refold['scope'];
  subject: string;
  foldedBelow: string | null;
  afterSeconds: string | null;
  afterEventId: string;
};

/** The oldest that nobody else works on, locked. */
export async function takeRefold(tx: Tx): Promise<TakenRefold | undefined> {
  const { rows } = await tx.query<TakenRefold>({
    name: 'take_refold',
    text: `select refold_id as "refoldId", tenant_id as "tenantId", scope, subject,
             folded_below as "foldedBelow", after_seconds as "afterSeconds",
             after_event_id as "afterEventId"
           from refold order by refold_id limit 1 for update skip locked`,
  });
  return rows[0];
}

/** The next facts of it, in the order of its cursor. */
export async function readPage(tx: Tx, refold: TakenRefold, limit: number): Promise<Page> {
  const { rows } = await tx.query<PageRow>(pageQuery(refold, limit));
  const facts = rows.map((row) => ({ event: row.record, businessKey: row.business_key }));
  const last = rows.at(-1);
  if (!last || rows.length < limit) return { facts };
  return { facts, next: { afterSeconds: last.after_seconds, afterEventId: last.after_event_id } };
}

export type Page = { facts: Fact[]; /** Absent on the last page. */ next?: Cursor };
export type Cursor = { afterSeconds: string | null; afterEventId: string };

type PageRow = {
  business_key: string;
  record: EventRecord;
  after_seconds: string | null;
  after_event_id: string;
};

function pageQuery(refold: TakenRefold, limit: number) {
  const { tenantId, subject, afterEventId, afterSeconds, foldedBelow } = refold;
  switch (refold.scope) {
    case 'code':
      return {
        name: 'page_of_code',
        text: `select business_key, record, null as after_seconds, event_id as after_event_id
               from fact
               where tenant_id = $1 and ucc = $2 and event_id > $3
               order by event_id limit $4`,
        values: [tenantId, subject, afterEventId, limit],
      };
    case 'claim':
      return {
        name: 'page_of_claim',
        text: `select business_key, record, null as after_seconds, event_id as after_event_id
               from fact
               where tenant_id = $1 and business_key = $2 and event_id > $3
               order by event_id limit $4`,
        values: [tenantId, subject, afterEventId, limit],
      };
    case 'campaign':
      return {
        name: 'page_of_campaign',
        text: `select fact.business_key, fact.record, d.occurred_at_seconds as after_seconds,
                 d.event_id as after_event_id
               from decision d join fact using (event_id)
               where d.tenant_id = $1 and d.campaign_id = $2
                 and (d.occurred_at_seconds, d.event_id) > ($3::numeric, $4)
                 and d.folded_under < $5
               order by d.occurred_at_seconds, d.event_id limit $6`,
        values: [tenantId, subject, afterSeconds, afterEventId, foldedBelow, limit],
      };
    default:
      return refold.scope satisfies never;
  }
}

export async function advanceRefold(tx: Tx, refoldId: string, cursor: Cursor): Promise<void> {
  await tx.query({
    name: 'advance_refold',
    text: `update refold set after_seconds = $2, after_event_id = $3 where refold_id = $1`,
    values: [refoldId, cursor.afterSeconds, cursor.afterEventId],
  });
}

export async function removeRefold(tx: Tx, refoldId: string): Promise<void> {
  await tx.query({
    name: 'remove_refold',
    text: `delete from refold where refold_id = $1`,
    values: [refoldId],
  });
}

/**
 * Of a code or claim that changed again and again, one pass from the beginning serves all: the
 * others, as far as they are committed, go. Says whether there were any.
 */
export async function absorbEqual(tx: Tx, refold: TakenRefold): Promise<boolean> {
  if (refold.scope === 'campaign') return false;
  const { rowCount } = await tx.query({
    name: 'absorb_equal_refolds',
    text: `delete from refold where refold_id in (
             select refold_id from refold
             where tenant_id = $1 and scope = $2 and subject = $3 and refold_id <> $4
             for update skip locked)`,
    values: [refold.tenantId, refold.scope, refold.subject, refold.refoldId],
  });
  return (rowCount ?? 0) > 0;
}

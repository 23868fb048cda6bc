import type { Tx } from '@tributary/runtime/postgres';
import type { Fact } from '@tributary/attribution-fold/fact';
import { readCodesOfCampaign } from './code-owners.ts';
import {
  factColumns,
  type FactRow,
  fromRow,
  hasCode,
  hasKey,
  hasPurchaseKey,
  hasUser,
} from './fact-row.ts';
import type { UserKey } from './referred-users.ts';
import { seekableSeconds } from './seekable-seconds.ts';

/**
 * What touched the facts: a code, an invoice, a revision of a campaign, something about a user, or
 * the mode of the tenant (subject empty).
 */
export type RecomputeJob = { tenantId: string; subject: string } & (
  | { scope: 'code' | 'claim' | 'user' | 'tenant' }
  | { scope: 'campaign'; foldedBelow: string; fromSeconds: string }
);

export async function addRecomputeJobs(tx: Tx, jobs: readonly RecomputeJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await tx.query({
    name: 'add_refolds',
    text: `insert into refold (tenant_id, scope, subject, folded_below, from_seconds)
           select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::numeric[])`,
    values: [
      jobs.map((r) => r.tenantId),
      jobs.map((r) => r.scope),
      jobs.map((r) => r.subject),
      jobs.map((r) => (r.scope === 'campaign' ? r.foldedBelow : null)),
      jobs.map((r) => (r.scope === 'campaign' ? seekableSeconds(r.fromSeconds) : null)),
    ],
  });
}

export type TakenRecomputeJob = {
  refoldId: string;
  tenantId: string;
  scope: RecomputeJob['scope'];
  subject: string;
  foldedBelow: string | null;
  fromSeconds: string | null;
} & Cursor;

/**
 * Where the next page begins: behind this event, which is at that time; in a campaign also of which
 * code. All empty at the beginning.
 */
export type Cursor = { afterUcc: string; afterSeconds: string | null; afterEventId: string };

/** Whose work: everybody's, or what this transaction left itself (a dry run). */
export type Whose = 'any' | 'own';

const conditionOf: Record<Whose, string> = {
  any: 'true',
  own: 'made_by = pg_current_xact_id()',
};

/** The oldest that nobody else works on, locked. */
export async function takeRecomputeJob(
  tx: Tx,
  whose: Whose,
): Promise<TakenRecomputeJob | undefined> {
  const { rows } = await tx.query<TakenRecomputeJob>({
    name: `take_refold_${whose}`,
    text: `select refold_id as "refoldId", tenant_id as "tenantId", scope, subject,
             folded_below as "foldedBelow", from_seconds as "fromSeconds",
             after_ucc as "afterUcc", after_seconds as "afterSeconds",
             after_event_id as "afterEventId"
           from refold where ${conditionOf[whose]}
           order by refold_id limit 1 for update skip locked`,
  });
  return rows[0];
}

type FactScope = Exclude<RecomputeJob['scope'], 'tenant'>;

/** The next users of a tenant, in the order of the cursor, which is their id. */
export async function readUsersPage(
  tx: Tx,
  { tenantId, afterEventId }: TakenRecomputeJob,
  limit: number,
): Promise<{ users: UserKey[]; next?: Cursor }> {
  const { rows } = await tx.query<UserKey>({
    name: 'page_of_tenant',
    text: `select tenant_id as "tenantId", new_user_id as "newUserId" from referred_user
           where tenant_id = $1 and new_user_id > $2
           order by new_user_id limit $3`,
    values: [tenantId, afterEventId, limit],
  });
  const last = rows.at(-1);
  if (!last || rows.length < limit) return { users: rows };
  return { users: rows, next: { afterUcc: '', afterSeconds: null, afterEventId: last.newUserId } };
}

/** The next facts of it, in the order of its cursor. */
export async function readPage(
  tx: Tx,
  job: TakenRecomputeJob & { scope: FactScope },
  limit: number,
): Promise<Page> {
  if (job.scope === 'campaign') return readPageOfCampaign(tx, job, limit);
  const { rows } = await tx.query<PageRow>(pageQuery({ ...job, scope: job.scope }, limit));
  return pageOf(rows, limit);
}

export type Page = { facts: Fact[]; /** Absent on the last page. */ next?: Cursor };

type PageRow = FactRow & { after_ucc: string; after_seconds: string | null };

function pageOf(rows: readonly PageRow[], limit: number): Page {
  const facts = rows.map(fromRow);
  const last = rows.at(-1);
  if (!last || rows.length < limit) return { facts };
  const { after_ucc: afterUcc, after_seconds: afterSeconds, event_id: afterEventId } = last;
  return { facts, next: { afterUcc, afterSeconds, afterEventId } };
}

/** Codes without such facts are passed over, so many at a time that a page stays a page. */
const codesAtOnce = 1_000;

/** Those of its codes, one after the other. */
async function readPageOfCampaign(tx: Tx, job: TakenRecomputeJob, limit: number): Promise<Page> {
  const { tenantId, subject: campaignId, afterUcc, afterSeconds, afterEventId } = job;
  const codes = await readCodesOfCampaign(tx, { tenantId, campaignId }, afterUcc, codesAtOnce);
  const last = codes.at(-1);
  if (last === undefined) return { facts: [] };
  const { rows } = await tx.query<PageRow>({
    name: 'page_of_campaign',
    text: `select found.*
           from unnest($2::text[]) with ordinality as code (ucc, place)
           cross join lateral (
             select ${factColumns}, fact.ucc as after_ucc, occurred_at_seconds as after_seconds
             from fact
             where tenant_id = $1 and ${hasCode('$1', 'code.ucc')}
               and occurred_at_seconds >= case when code.ucc = $3
                 then greatest($4::numeric, $6::numeric) else $6::numeric end
               and (code.ucc <> $3 or $4::numeric is null
                 or (occurred_at_seconds, event_id) > ($4::numeric, $5))
               and folded_under < $7
             order by occurred_at_seconds, event_id limit $8) as found
           order by code.place, after_seconds, event_id limit $8`,
    values: [
      ...[tenantId, codes, afterUcc, afterSeconds, afterEventId],
      ...[job.fromSeconds, job.foldedBelow, limit],
    ],
  });
  const page = pageOf(rows, limit);
  if (page.next || codes.length < codesAtOnce) return page;
  return { ...page, next: { afterUcc: last, afterSeconds: 'infinity', afterEventId: '' } };
}

function pageQuery(
  job: TakenRecomputeJob & { scope: Exclude<FactScope, 'campaign'> },
  limit: number,
) {
  const { tenantId, subject, afterEventId, afterSeconds } = job;
  switch (job.scope) {
    case 'code':
      return {
        name: 'page_of_code',
        text: pageByTime(hasCode('$1', '$2')),
        values: [tenantId, subject, afterSeconds, afterEventId, limit],
      };
    case 'claim':
      return {
        name: 'page_of_claim',
        text: `with name as (
                 select $2 as key
                 union
                 select other.business_key
                 from claim mine
                 join claim other
                   on other.tenant_id = mine.tenant_id and other.invoice = mine.invoice
                 where mine.tenant_id = $1 and mine.business_key = $2)
               select found.*, '' as after_ucc, null as after_seconds
               from (
                 select ${factColumns}
                 from name join fact on fact.tenant_id = $1
                   and fact.is_rival and ${hasKey('name.key')}
                 where fact.event_id > $3
                 union all
                 select ${factColumns} from fact
                 where not fact.is_rival and fact.event_id > $3 and fact.event_id in (
                   select claim.event_id from name
                   join claim on claim.tenant_id = $1 and claim.business_key = name.key)
                 union all
                 select ${factColumns}
                 from name join fact on fact.tenant_id = $1 and ${hasPurchaseKey('name.key')}
                 where fact.event_id > $3) found
               order by event_id limit $4`,
        values: [tenantId, subject, afterEventId, limit],
      };
    case 'user':
      return {
        name: 'page_of_user',
        text: pageByTime(hasUser('$1', '$2')),
        values: [tenantId, subject, afterSeconds, afterEventId, limit],
      };
    default:
      return job.scope satisfies never;
  }
}

/** The index has the time behind the digest, so a page of very many facts reads no others. */
function pageByTime(isOfSubject: string): string {
  return `select ${factColumns}, '' as after_ucc, occurred_at_seconds as after_seconds
          from fact
          where tenant_id = $1 and ${isOfSubject}
            and occurred_at_seconds >= coalesce($3::numeric, '-infinity')
            and ($3::numeric is null or (occurred_at_seconds, event_id) > ($3::numeric, $4))
          order by occurred_at_seconds, event_id limit $5`;
}

/**
 * Takes the next users of the tenant whose work nobody has begun, as far as they have at most
 * `maxFacts`: one transaction for many small ones. Their rows are gone with it.
 */
export async function takeOtherUsers(
  tx: Tx,
  { tenantId, subject }: TakenRecomputeJob,
  { limit, maxFacts, whose }: { limit: number; maxFacts: number; whose: Whose },
): Promise<UserKey[]> {
  const { rows } = await tx.query<UserKey>({
    name: `take_other_users_${whose}`,
    text: `with gone as (
             delete from refold where refold_id in (
               select refold_id
               from (
                 select refold_id, tenant_id, subject from refold
                 where tenant_id = $1 and scope = 'user' and subject <> $2 and after_event_id = ''
                   and ${conditionOf[whose]}
                 order by refold_id limit $3 for update skip locked) next
               where (select count(*) from (
                        select from fact
                        where fact.tenant_id = next.tenant_id
                          and ${hasUser('next.tenant_id', 'next.subject')}
                        limit $4 + 1) own) <= $4)
             returning tenant_id, subject)
           select distinct tenant_id as "tenantId", subject as "newUserId" from gone`,
    values: [tenantId, subject, limit, maxFacts],
  });
  return rows;
}

/** The next page has its turn after all other work: a long one holds up nobody else's. */
export async function advanceRecomputeJob(tx: Tx, refoldId: string, cursor: Cursor): Promise<void> {
  await tx.query({
    name: 'advance_refold',
    text: `with gone as (delete from refold where refold_id = $1 returning *)
           insert into refold
             (tenant_id, scope, subject, folded_below, from_seconds, after_ucc, after_seconds,
              after_event_id)
           select tenant_id, scope, subject, folded_below, from_seconds, $2, $3::numeric, $4
           from gone`,
    values: [refoldId, cursor.afterUcc, cursor.afterSeconds, cursor.afterEventId],
  });
}

export async function removeRecomputeJob(tx: Tx, refoldId: string): Promise<void> {
  await tx.query({
    name: 'remove_refold',
    text: `delete from refold where refold_id = $1`,
    values: [refoldId],
  });
}

/**
 * One pass from the beginning serves everything that has changed again and again: the others that
 * are committed and not begun are removed. One that has begun goes on, so that it ends however many
 * follow.
 */
export async function absorbEqual(tx: Tx, job: TakenRecomputeJob, whose: Whose): Promise<void> {
  if (job.scope === 'campaign' || job.afterEventId !== '') return;
  await tx.query({
    name: `absorb_equal_refolds_${whose}`,
    text: `delete from refold where refold_id in (
             select refold_id from refold
             where tenant_id = $1 and scope = $2 and subject = $3 and refold_id <> $4
               and after_event_id = '' and ${conditionOf[whose]}
             for update skip locked)`,
    values: [job.tenantId, job.scope, job.subject, job.refoldId],
  });
}

import type { FetchedType } from '@tributary/contracts/processor-record';
import type { Queryable } from './queryable.ts';

/** A question that one worker asks, until its lease ends. */
export type Claim = {
  claimId: string;
  subjectId: string;
  type: FetchedType;
  id: string;
  tenantId: string;
  subject: string;
  connectionId: string;
  /** An answer counts that was received at or after it. */
  since: string | null;
  /** When its time had come, by the log or the database; UTC with milliseconds. */
  dueAt: string;
  /** Questions for it without an answer so far. */
  attempts: number;
  /** How often its connection has failed, in a row. */
  failures: number;
};

/**
 * Takes due questions, connection by connection, so that one with many is in nobody's way: first
 * of those of which this process asks least now. A single statement, which waits for nobody. A
 * connection that failed last is asked one thing at a time.
 */
export async function claimNeeds(
  db: Queryable,
  options: {
    claimId: string;
    leaseMs: number;
    limit: number;
    perConnection: number;
    /** How many questions this process asks of each connection now. */
    underWay: ReadonlyMap<string, number>;
  },
): Promise<Claim[]> {
  const { claimId, leaseMs, limit, perConnection, underWay } = options;
  const { rows } = await db.query<ClaimRow>({
    name: 'claim_needs',
    text: `
      with busy as (
        select * from unnest($5::text[], $6::integer[]) as b (connection_id, questions)
      ), room as (
        select connection_id, failures,
          case when failures > 0 then 1 else $4::integer end - coalesce(questions, 0) as most
        from connection left join busy using (connection_id)
        where active and (rest_until is null or rest_until <= now())
        order by coalesce(questions, 0), random()
      ), taken as (
        select due.subject_id, due.type, due.id, room.failures
        from room cross join lateral (
          select subject_id, type, id from need
          where need.connection_id = room.connection_id and not answered and due_at <= now()
            and (not_before is null or not_before <= now())
            and (claimed_until is null or claimed_until <= now())
          order by due_at
          limit greatest(room.most, 0)
          for no key update skip locked
        ) as due
        limit $3
      )
      update need set claim_id = $1, claimed_until = now() + $2 * interval '1 millisecond'
      from taken
      where (need.subject_id, need.type, need.id) = (taken.subject_id, taken.type, taken.id)
      returning need.subject_id, need.type, need.id, tenant_id, subject, connection_id, since,
        due_at, attempts, failures`,
    values: [claimId, leaseMs, limit, perConnection, [...underWay.keys()], [...underWay.values()]],
  });
  return rows.map((row) => ({
    claimId,
    subjectId: row.subject_id,
    type: row.type,
    id: row.id,
    tenantId: row.tenant_id,
    subject: row.subject,
    connectionId: row.connection_id,
    since: row.since,
    dueAt: row.due_at.toISOString(),
    attempts: row.attempts,
    failures: row.failures,
  }));
}

type ClaimRow = {
  subject_id: string;
  type: FetchedType;
  id: string;
  tenant_id: string;
  subject: string;
  connection_id: string;
  since: string | null;
  due_at: Date;
  attempts: number;
  failures: number;
};

/**
 * The answer is on the log, and nobody is to ask until it was applied. When it was applied before
 * this, the claim is gone, and what is due by then is another question.
 */
export async function settleClaim(db: Queryable, claim: Claim): Promise<void> {
  await db.query({
    name: 'settle_claim',
    text: `update need set answered = true, claim_id = null, claimed_until = null
           where subject_id = $1 and type = $2 and id = $3 and claim_id = $4`,
    values: placeOf(claim),
  });
}

/** There is no answer; not before so long. */
export async function postponeClaim(
  db: Queryable,
  claim: Claim,
  { afterMs, detail, refused }: { afterMs: number; detail: string; refused: boolean },
): Promise<void> {
  await db.query({
    name: 'postpone_claim',
    text: `update need set claim_id = null, claimed_until = null, attempts = attempts + 1,
             last_error = $6, not_before = now() + $5 * interval '1 millisecond',
             refused_at = case when $7 then coalesce(refused_at, now()) end
           where subject_id = $1 and type = $2 and id = $3 and claim_id = $4`,
    values: [...placeOf(claim), afterMs, detail.replaceAll('\0', ''), refused],
  });
}

/** It was not asked; not before so long. */
export async function returnClaim(db: Queryable, claim: Claim, afterMs: number): Promise<void> {
  await db.query({
    name: 'return_claim',
    text: `update need set claim_id = null, claimed_until = null,
             not_before = now() + $5 * interval '1 millisecond'
           where subject_id = $1 and type = $2 and id = $3 and claim_id = $4`,
    values: [...placeOf(claim), afterMs],
  });
}

function placeOf({ subjectId, type, id, claimId }: Claim): [string, string, string, string] {
  return [subjectId, type, id, claimId];
}

import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { WantedNeed } from '../domain/fold-needs.ts';
import { ofReadingKey, type Subject } from '../domain/fold-subject.ts';

export type SubjectNeeds = {
  subject: Pick<Subject, 'subjectId' | 'tenantId' | 'subject'>;
  /** All that its items want. */
  wanted: readonly WantedNeed[];
  /** What was read just now: a question for it that was under way is answered. */
  readKeys: Iterable<string>;
};

/**
 * Makes the questions of these subjects what their items want; whoever calls holds the subjects.
 * First what was read is settled, whoever asked for it, then what nobody wants goes, then comes
 * what is new. A question keeps its attempts and its claim while it stays the same.
 */
export async function putNeeds(tx: Tx, subjects: readonly SubjectNeeds[]): Promise<void> {
  const read = subjects.flatMap(({ subject: { subjectId }, readKeys }) =>
    [...readKeys].map((key) => ({ subjectId, ...ofReadingKey(key) })),
  );
  const wanted = subjects.flatMap(({ subject, wanted: needs }) =>
    needs.map((need) => ({ ...subject, ...need })),
  );
  await settleRead(tx, read);
  await removeUnwanted(tx, subjects, wanted);
  await putWanted(tx, wanted);
}

type Place = { subjectId: string; type: string; id: string };

/** To `infinity`, so that only what is wanted still comes up again. */
async function settleRead(tx: Tx, read: readonly Place[]): Promise<void> {
  if (read.length === 0) return;
  await tx.query(
    `update need set due_at = 'infinity', asked_for = false, attempts = 0, last_error = null, refused_at = null,
       not_before = null, claim_id = null, claimed_until = null, answered = false
     where (subject_id, type, id) in (select * from unnest($1::bigint[], $2::text[], $3::text[]))`,
    placesOf(read),
  );
}

async function removeUnwanted(
  tx: Tx,
  subjects: readonly SubjectNeeds[],
  wanted: readonly Place[],
): Promise<void> {
  await tx.query(
    `delete from need
     where subject_id = any($4::bigint[]) and not asked_for
       and (subject_id, type, id) not in (select * from unnest($1::bigint[], $2::text[], $3::text[]))`,
    [...placesOf(wanted), subjects.map(({ subject }) => subject.subjectId)],
  );
}

async function putWanted(
  tx: Tx,
  wanted: readonly (WantedNeed & SubjectNeeds['subject'])[],
): Promise<void> {
  if (wanted.length === 0) return;
  await tx.query(
    `insert into need (subject_id, type, id, tenant_id, subject, connection_id, since, due_at)
     select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::text[], $8::timestamptz[])
     on conflict (subject_id, type, id) do update set
       connection_id = excluded.connection_id, since = excluded.since,
       due_at = case when need.asked_for then least(need.due_at, excluded.due_at)
         else excluded.due_at end`,
    [
      ...placesOf(wanted),
      ...columnsOf(wanted, 'tenantId', 'subject', 'connectionId', 'since', 'dueAt'),
    ],
  );
}

function placesOf(places: readonly Place[]): [string[], string[], string[]] {
  return [places.map((p) => p.subjectId), places.map((p) => p.type), places.map((p) => p.id)];
}

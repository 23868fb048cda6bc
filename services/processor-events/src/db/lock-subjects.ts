import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { emptySubject, type Subject } from '../domain/fold-subject.ts';

/**
 * The rows of these subjects, held until the commit, new ones made. In two statements: what another
 * transaction has just committed is seen by the one after the wait only. Both go in one order, so
 * that no two transactions wait for each other.
 */
export async function lockSubjects(
  tx: Tx,
  subjects: readonly Pick<Subject, 'tenantId' | 'subject'>[],
): Promise<Subject[]> {
  const names = [subjects.map((s) => s.tenantId), subjects.map((s) => s.subject)];
  const made = await tx.query<{ subject_id: string }>(
    `insert into subject (tenant_id, subject)
     select tenant_id, subject from unnest($1::text[], $2::text[]) as wanted (tenant_id, subject)
     order by tenant_id, subject
     on conflict do nothing
     returning subject_id`,
    names,
  );
  const fresh = new Set(made.rows.map((row) => row.subject_id));
  const { rows } = await tx.query<SubjectRow>(
    `select subject_id, tenant_id, subject, last_event_at, last_connection_id
     from subject
     where (tenant_id, subject) in (select * from unnest($1::text[], $2::text[]))
     order by tenant_id, subject
     for no key update`,
    names,
  );
  return rows.map((row) =>
    emptySubject({
      subjectId: row.subject_id,
      tenantId: row.tenant_id,
      subject: row.subject,
      fresh: fresh.has(row.subject_id),
      lastEventAt: row.last_event_at,
      lastConnectionId: row.last_connection_id,
    }),
  );
}

type SubjectRow = {
  subject_id: string;
  tenant_id: string;
  subject: string;
  last_event_at: string;
  last_connection_id: string;
};

/** For subjects that are held. */
export async function putLastEvents(
  tx: Tx,
  subjects: readonly Pick<Subject, 'subjectId' | 'lastEventAt' | 'lastConnectionId'>[],
): Promise<void> {
  await tx.query(
    `update subject set last_event_at = reported.last_event_at,
       last_connection_id = reported.last_connection_id
     from unnest($1::bigint[], $2::text[], $3::text[])
       as reported (subject_id, last_event_at, last_connection_id)
     where subject.subject_id = reported.subject_id
       and (subject.last_event_at, subject.last_connection_id)
         <> (reported.last_event_at, reported.last_connection_id)`,
    columnsOf(subjects, 'subjectId', 'lastEventAt', 'lastConnectionId'),
  );
}

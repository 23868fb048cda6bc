import { latestPeople } from '@tributary/contracts/latest-people';
import type { PersonRecord } from '@tributary/contracts/people-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';

/**
 * The latest record of each person, which replaces all that was said before: the topic is
 * compacted, so whoever reads it later hears nothing else. What was received no later than their
 * erasure is not kept, whichever of the two arrives first.
 */
export async function writePeople(tx: Tx, batch: readonly Incoming<PersonRecord>[]): Promise<void> {
  const updates = latestPeople(batch);
  if (updates.length === 0) return;
  const reported = {
    heardAt: 'excluded.received_at',
    erasedAt: `coalesce(person.erased_at, '')`,
    from: 'excluded',
  };
  await tx.query({
    name: 'write_people',
    text: `insert into person (tenant_id, user_id, email, name, first_name, last_name, received_at)
           select tenant_id, user_id, email, name, first_name, last_name, received_at
           from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
             $7::text[]) as next (tenant_id, user_id, email, name, first_name, last_name, received_at)
           order by tenant_id collate "C", user_id collate "C"
           on conflict (tenant_id, user_id) do update
           set received_at = excluded.received_at,
             ${ifHeardAfterErasure(reported)}
           where excluded.received_at is null
             or excluded.received_at >= coalesce(person.received_at, '')`,
    values: [
      updates.map((update) => update.tenantId),
      updates.map((update) => update.userId),
      updates.map((update) => update.email),
      updates.map((update) => update.name),
      updates.map((update) => update.firstName),
      updates.map((update) => update.lastName),
      updates.map((update) => update.receivedAt),
    ],
  });
}

/** Assignments that keep what is known of a person only where it was heard after the erasure. */
export function ifHeardAfterErasure(of: {
  heardAt: string;
  erasedAt: string;
  from: string;
}): string {
  const { heardAt, erasedAt, from } = of;
  return ['email', 'name', 'first_name', 'last_name']
    .map((column) => `${column} = case when ${heardAt} > ${erasedAt} then ${from}.${column} end`)
    .join(', ');
}

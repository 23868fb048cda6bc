import { latestPeople } from '@tributary/contracts/latest-people';
import type { PersonRecord } from '@tributary/contracts/people-record';
import type { Incoming } from '@tributary/event-log/projection';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/**
 * The latest record of each person. What was received no later than their erasure is not kept,
 * whichever of the two arrives first.
 */
export async function writePeople(tx: Tx, batch: readonly Incoming<PersonRecord>[]): Promise<void> {
  const updates = latestPeople(batch);
  if (updates.length === 0) return;
  await tx.query({
    name: 'write_people',
    text: `insert into person (tenant_id, user_id, email, name, received_at)
           select tenant_id, user_id, email, name, received_at
           from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
             as next (tenant_id, user_id, email, name, received_at)
           order by tenant_id collate "C", user_id collate "C"
           on conflict (tenant_id, user_id) do update
           set received_at = coalesce(excluded.received_at, person.received_at),
             email = case when excluded.received_at > coalesce(person.erased_at, '')
               then excluded.email end,
             name = case when excluded.received_at > coalesce(person.erased_at, '')
               then excluded.name end
           where excluded.received_at is null
             or excluded.received_at >= coalesce(person.received_at, '')`,
    values: columnsOf(updates, 'tenantId', 'userId', 'email', 'name', 'receivedAt'),
  });
}

import type { PersonRecord } from '@tributary/contracts/people-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';

/** What one record says of a person; a tombstone says that nothing is to be known. */
type Word = {
  tenantId: string;
  userId: string;
  email: string | null;
  name: string | null;
  /** null: a tombstone. */
  receivedAt: string | null;
};

/**
 * The latest word on each person. What was received no later than their erasure is not kept,
 * whichever of the two arrives first. Records of a person share a partition, so within a batch the
 * last word of the latest receipt holds; a tombstone takes back what came before it.
 */
export async function writePeople(tx: Tx, batch: readonly Incoming<PersonRecord>[]): Promise<void> {
  const words = [...latestWords(batch.flatMap(toWord)).values()];
  if (words.length === 0) return;
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
    values: [
      words.map((word) => word.tenantId),
      words.map((word) => word.userId),
      words.map((word) => word.email),
      words.map((word) => word.name),
      words.map((word) => word.receivedAt),
    ],
  });
}

function latestWords(words: readonly Word[]): Map<string, Word> {
  const latest = new Map<string, Word>();
  for (const word of words) {
    const key = JSON.stringify([word.tenantId, word.userId]);
    const known = latest.get(key)?.receivedAt ?? '';
    if (word.receivedAt === null || word.receivedAt >= known) latest.set(key, word);
  }
  return latest;
}

/** Empty for ids that no table takes: nobody can ask for such a person. */
function toWord({ key, value }: Incoming<PersonRecord>): Word[] {
  const colon = key.indexOf(':');
  // A heartbeat, which is about nobody.
  if (value === null && colon === -1) return [];
  const tenantId = value?.tenantId ?? key.slice(0, colon);
  const userId = value?.userId ?? key.slice(colon + 1);
  if ([tenantId, userId].some((id) => id === '' || id.length > maxIdLength || id.includes('\0'))) {
    return [];
  }
  const email = storable(value?.email);
  const name = storable(value?.name);
  return [{ tenantId, userId, email, name, receivedAt: value?.receivedAt ?? null }];
}

/** As ids of the contract in UTF-16 units. */
const maxIdLength = 510;

function storable(text: string | undefined): string | null {
  return text?.replaceAll('\0', '\ufffd') ?? null;
}

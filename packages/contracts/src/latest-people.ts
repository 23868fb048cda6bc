import type { ErasureRecord } from './catalog-record.ts';
import type { PersonRecord } from './people-record.ts';

/** What one record says of a person; a tombstone, that nothing is to be known. */
export type PersonUpdate = {
  tenantId: string;
  userId: string;
  email: string | null;
  name: string | null;
  firstName: string | null;
  lastName: string | null;
  /** null: a tombstone. */
  receivedAt: string | null;
};

/**
 * The latest record of each person in a batch of `referral.people`, with its Kafka keys. Records of
 * a person share a partition, so the last record of the latest receipt holds; a tombstone takes
 * back what came before it. Segment-roll markers, and ids that no table takes, are left out.
 */
export function latestPeople(
  batch: readonly { key: string; value: PersonRecord | null }[],
): PersonUpdate[] {
  const latest = new Map<string, PersonUpdate>();
  for (const update of batch.flatMap(toUpdate)) {
    const key = JSON.stringify([update.tenantId, update.userId]);
    const known = latest.get(key)?.receivedAt ?? '';
    if (update.receivedAt === null || update.receivedAt >= known) latest.set(key, update);
  }
  return [...latest.values()];
}

/** Keeps, for each person, the erasure that reaches furthest. */
export function latestErasures(records: readonly ErasureRecord[]): ErasureRecord[] {
  const latest = new Map<string, ErasureRecord>();
  for (const record of records) {
    const key = JSON.stringify([record.tenantId, record.userId]);
    const known = latest.get(key);
    if (known === undefined || known.erasedAt < record.erasedAt) latest.set(key, record);
  }
  return [...latest.values()];
}

/** Empty for ids that no table takes: nobody can ask for such a person. */
function toUpdate({ key, value }: { key: string; value: PersonRecord | null }): PersonUpdate[] {
  const colon = key.indexOf(':');
  // A segment-roll marker, which is about nobody.
  if (value === null && colon === -1) return [];
  const tenantId = value?.tenantId ?? key.slice(0, colon);
  const userId = value?.userId ?? key.slice(colon + 1);
  if ([tenantId, userId].some((id) => id === '' || id.length > maxIdLength || id.includes('\0'))) {
    return [];
  }
  return [
    {
      tenantId,
      userId,
      email: storable(value?.email),
      name: storable(value?.name),
      firstName: storable(value?.firstName),
      lastName: storable(value?.lastName),
      receivedAt: value?.receivedAt ?? null,
    },
  ];
}

/** As ids of the contract in UTF-16 units. */
const maxIdLength = 510;

function storable(text: string | undefined): string | null {
  return text?.replaceAll('\0', '\ufffd') ?? null;
}

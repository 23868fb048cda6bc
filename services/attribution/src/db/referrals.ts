import type { Precedence } from '@tributary/attribution-fold/precedence';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { UserKey } from './referred-users.ts';

/** The first fact of a user that carries a code of the owner. */
export type Referral = UserKey & { ownerId: string; fact: Precedence };
export type ReferralKey = Omit<Referral, 'fact'>;

/** All referrals of these users. */
export async function readReferralsOf(tx: Tx, users: readonly UserKey[]): Promise<Referral[]> {
  const { rows } = await tx.query<ReferralRow>({
    name: 'read_referrals_of',
    text: `select r.tenant_id, r.new_user_id, r.owner_id, r.event_id, r.occurred_at_seconds,
             r.received_at, r.recovered
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, new_user_id)
           join referral r using (tenant_id, new_user_id)`,
    values: columnsOf(users, 'tenantId', 'newUserId'),
  });
  return rows.map(fromRow);
}

export async function readReferrals(tx: Tx, keys: readonly ReferralKey[]): Promise<Referral[]> {
  const { rows } = await tx.query<ReferralRow>({
    name: 'read_referrals',
    text: `select r.tenant_id, r.new_user_id, r.owner_id, r.event_id, r.occurred_at_seconds,
             r.received_at, r.recovered
           from unnest($1::text[], $2::text[], $3::text[]) as wanted
             (tenant_id, new_user_id, owner_id)
           join referral r using (tenant_id, new_user_id, owner_id)`,
    values: columnsOf(keys, 'tenantId', 'newUserId', 'ownerId'),
  });
  return rows.map(fromRow);
}

/** Under the locks of their users. */
export async function writeReferrals(tx: Tx, referrals: readonly Referral[]): Promise<void> {
  if (referrals.length === 0) return;
  const facts = referrals.map(({ fact }) => fact);
  await tx.query({
    name: 'write_referrals',
    text: `insert into referral (tenant_id, new_user_id, owner_id, event_id, occurred_at_seconds,
             received_at, recovered)
           select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
             $6::text[], $7::boolean[])
           on conflict (tenant_id, new_user_id, owner_id) do update
           set event_id = excluded.event_id, occurred_at_seconds = excluded.occurred_at_seconds,
             received_at = excluded.received_at, recovered = excluded.recovered`,
    values: [
      ...columnsOf(referrals, 'tenantId', 'newUserId', 'ownerId'),
      ...columnsOf(facts, 'eventId', 'occurredAtSeconds', 'receivedAt'),
      facts.map(({ recovered = false }) => recovered),
    ],
  });
}

/** Under the locks of their users. */
export async function removeReferrals(tx: Tx, keys: readonly ReferralKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query({
    name: 'remove_referrals',
    text: `delete from referral r
           using unnest($1::text[], $2::text[], $3::text[]) as gone
             (tenant_id, new_user_id, owner_id)
           where r.tenant_id = gone.tenant_id and r.new_user_id = gone.new_user_id
             and r.owner_id = gone.owner_id`,
    values: columnsOf(keys, 'tenantId', 'newUserId', 'ownerId'),
  });
}

type ReferralRow = {
  tenant_id: string;
  new_user_id: string;
  owner_id: string;
  event_id: string;
  occurred_at_seconds: string;
  received_at: string;
  recovered: boolean;
};

function fromRow(row: ReferralRow): Referral {
  return {
    tenantId: row.tenant_id,
    newUserId: row.new_user_id,
    ownerId: row.owner_id,
    fact: {
      eventId: row.event_id,
      occurredAtSeconds: row.occurred_at_seconds,
      receivedAt: row.received_at,
      ...(row.recovered && { recovered: true }),
    },
  };
}

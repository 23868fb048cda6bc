import type { Tx } from '@tributary/runtime/postgres';
import type { IssuanceRecord } from '@tributary/contracts/issuance-record';
import type { RecipientKey } from '@tributary/rewards-fold/entitlement';

/** Facts from the log; one that is there stays as it is. */
export async function insertIssuances(tx: Tx, facts: readonly IssuanceRecord[]): Promise<void> {
  await insert(tx, facts, 'insert_issuances', 'on conflict do nothing');
}

/** Facts of this moment; one that is there already fails the transaction. */
export async function recordIssuances(tx: Tx, facts: readonly IssuanceRecord[]): Promise<void> {
  if (facts.length > 0) await insert(tx, facts, 'record_issuances', '');
}

async function insert(
  tx: Tx,
  facts: readonly IssuanceRecord[],
  name: string,
  onConflict: string,
): Promise<void> {
  await tx.query({
    name,
    text: `insert into issuance (issuance_id, reward_id, tenant_id, campaign_id, recipient_id,
             credits, issued_at, webhook_event_id, record)
           select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[],
             $6::numeric[], $7::text[], $8::uuid[], $9::json[]) as fact (issuance_id)
           order by issuance_id ${onConflict}`,
    values: [
      facts.map((f) => f.issuanceId),
      facts.map((f) => f.rewardId),
      facts.map((f) => f.tenantId),
      facts.map((f) => f.campaignId),
      facts.map((f) => f.recipientId),
      facts.map((f) => f.credits),
      facts.map((f) => f.issuedAt),
      facts.map((f) => f.webhookEventId),
      facts.map((f) => JSON.stringify(f)),
    ],
  });
}

/** Which of these issuances this generation has posted to its ledger, where each has its own id. */
export async function readPosted(tx: Tx, issuanceIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ issuance_id: string }>({
    name: 'read_posted',
    text: 'select posting_id as issuance_id from posting where posting_id = any($1::uuid[])',
    values: [issuanceIds],
  });
  return new Set(rows.map((row) => row.issuance_id));
}

/** Facts about these rewards that this generation has not posted. */
export async function readUnpostedOfRewards(
  tx: Tx,
  rewardIds: readonly string[],
): Promise<IssuanceRecord[]> {
  const { rows } = await tx.query<{ record: IssuanceRecord }>({
    name: 'read_unposted_of_rewards',
    text: `select record from issuance
           where reward_id = any($1::uuid[]) and not exists (
             select from posting where posting.posting_id = issuance.issuance_id)`,
    values: [rewardIds],
  });
  return rows.map((row) => row.record);
}

/** The same for everything of these recipients; dear for a busy one, so only for repairs. */
export async function readUnpostedOfRecipients(
  tx: Tx,
  keys: readonly RecipientKey[],
): Promise<IssuanceRecord[]> {
  const { rows } = await tx.query<{ record: IssuanceRecord }>({
    name: 'read_unposted_of_recipients',
    text: `select record from issuance
           where (tenant_id, recipient_id) in (select * from unnest($1::text[], $2::text[]))
             and not exists (
               select from posting where posting.posting_id = issuance.issuance_id)`,
    values: [keys.map((k) => k.tenantId), keys.map((k) => k.recipientId)],
  });
  return rows.map((row) => row.record);
}

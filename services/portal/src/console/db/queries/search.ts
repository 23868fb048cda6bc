import { keyOf } from '@tributary/generations/read-model-keys';
import type { Queryable } from './queryable.ts';

export type Match = {
  kind: 'event' | 'reward' | 'issuance' | 'webhook' | 'invoice' | 'user' | 'code';
  id: string;
};

/** What of the tenant has this text as its id, whole and as it is written. */
export async function search(db: Queryable, tenantId: string, text: string): Promise<Match[]> {
  const { rows } = await db.query<Match>(
    `select kind, $2::text as id from (values
       ('event', exists (select 1 from event where tenant_id = $1 and event_id = $3)),
       ('reward', exists (select 1 from reward where tenant_id = $1 and reward_id = $3)),
       ('issuance', exists (select 1 from issuance where tenant_id = $1 and issuance_id = $3)),
       ('webhook', exists (select 1 from delivery where tenant_id = $1 and webhook_event_id = $3)
         or exists (select 1 from delivery_action where tenant_id = $1 and webhook_event_id = $3)),
       ('invoice', exists
         (select 1 from event where tenant_id = $1 and invoice_names @> array[$2::text])),
       ('user', exists (select 1 from event where tenant_id = $1 and new_user_id = $2)
         or exists (select 1 from reward where tenant_id = $1 and recipient_id = $2)
         or exists (select 1 from code_change where tenant_id = $1 and product_user_id = $2)),
       ('code', exists (select 1 from code_change where tenant_id = $1 and ucc = $2)
         or exists (select 1 from event where tenant_id = $1 and ucc = $2))
     ) as found (kind, is_there) where is_there`,
    [tenantId, text, keyOf(text)],
  );
  return rows;
}

import type { OwnedCode } from '../../domain/choose-invite.ts';
import type { Queryable } from './queryable.ts';

const columns = `ucc, status, campaign_id as "campaignId", product_user_id as "productUserId",
  coalesce(issued_at, changed_at) as "issuedAt", changed_at as "changedAt"`;

/** Whoever owns it, and disabled or not. */
export async function findCode(
  db: Queryable,
  tenantId: string,
  ucc: string,
): Promise<OwnedCode | undefined> {
  const { rows } = await db.query<OwnedCode>({
    name: 'widget_find_code',
    text: `select ${columns} from code where tenant_id = $1 and ucc = $2`,
    values: [tenantId, ucc],
  });
  return rows[0];
}

/** All of the user, disabled ones too; the one issued last first, then by ucc. */
export async function codesOfUser(
  db: Queryable,
  tenantId: string,
  productUserId: string,
): Promise<OwnedCode[]> {
  const { rows } = await db.query<OwnedCode>({
    name: 'widget_codes_of_user',
    text: `select ${columns} from code where tenant_id = $1 and product_user_id = $2
           order by "issuedAt" desc, ucc`,
    values: [tenantId, productUserId],
  });
  return rows;
}

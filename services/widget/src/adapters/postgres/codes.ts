import type { Queryable } from './queryable.ts';

export type CodeRow = {
  ucc: string;
  status: 'issued' | 'disabled';
  campaignId: string;
  /** The referrer: who owns the code. */
  productUserId: string;
  /** When its owner got it, UTC with milliseconds. */
  issuedAt: string;
  /** When it was last issued, disabled or enabled again. */
  changedAt: string;
};

const columns = `ucc, status, campaign_id as "campaignId", product_user_id as "productUserId",
  coalesce(issued_at, changed_at) as "issuedAt", changed_at as "changedAt"`;

/** Whoever owns it, and disabled or not. */
export async function findCode(
  db: Queryable,
  tenantId: string,
  ucc: string,
): Promise<CodeRow | undefined> {
  const { rows } = await db.query<CodeRow>({
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
): Promise<CodeRow[]> {
  const { rows } = await db.query<CodeRow>({
    name: 'widget_codes_of_user',
    text: `select ${columns} from code where tenant_id = $1 and product_user_id = $2
           order by "issuedAt" desc, ucc`,
    values: [tenantId, productUserId],
  });
  return rows;
}

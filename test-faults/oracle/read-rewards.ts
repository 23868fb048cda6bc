import type { Entitlement } from '../../packages/rewards-fold/src/domain/entitlement.ts';
import {
  entitlementColumns,
  type EntitlementRow,
  fromRow,
} from '../../services/rewards/src/db/entitlement-row.ts';

/** Every reward that rewards has, from its tables. */
export async function readRewards(
  query: (sql: string) => Promise<{ rows: EntitlementRow[] }>,
  generation = 1,
): Promise<Entitlement[]> {
  const table = `rewards_g${generation}.entitlement`;
  return (await query(`select ${entitlementColumns.join(', ')} from ${table}`)).rows.map(fromRow);
}

import type { Tx } from '@tributary/runtime/postgres';

/**
 * Keeps the plans of a transaction at look-ups by index, also where the statistics are of a table
 * that was small, or of none. Plans are prepared once per connection, and one that reads the whole
 * table would stay in use when it has grown; planning anew each time costs more than the statement.
 */
export const planByKeySettings = `
  set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`;

export async function planByKey(tx: Tx): Promise<void> {
  await tx.query({ name: 'plan_by_key', text: `select ${planByKeySettings}` });
}

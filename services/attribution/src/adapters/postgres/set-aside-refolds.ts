import type { Tx } from '@tributary/runtime/postgres';

/** Takes all work of others out of sight of this transaction, which must be rolled back. */
export async function setAsideRefolds(tx: Tx): Promise<void> {
  await tx.query(
    `delete from refold
     where refold_id in (select refold_id from refold for update skip locked)`,
  );
}

import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { behindDetail } from '../domain/behind-detail.ts';
import type { Deployment } from './deployment.ts';

/** In a database that has all that was ever published: only there may a version be given. */
export type CatalogTx = Tx & { readonly hasAllThatWasPublished: true };

/** The tables may lack what was published; the change may be tried again soon. */
export class CatalogBehind extends Error {
  constructor(heldUpBy: readonly string[]) {
    super(`${behindDetail(heldUpBy)}; no change is accepted meanwhile`);
    this.name = 'CatalogBehind';
  }
}

/**
 * The transaction of every command that changes the catalog or the codes. It is refused, whatever
 * it would do, while its database may be older than the log (catalog-recovery.ts): a version
 * counted up there could be on the log already, and "there is nothing to change" could be untrue.
 *
 * @throws {CatalogBehind}
 */
export async function changeCatalog<T>(
  { pool, isCurrent, heldUpBy }: Pick<Deployment, 'pool' | 'isCurrent' | 'heldUpBy'>,
  work: (tx: CatalogTx) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (tx) => {
    if (!(await isCurrent(tx))) throw new CatalogBehind(heldUpBy());
    return work(tx as CatalogTx);
  });
}

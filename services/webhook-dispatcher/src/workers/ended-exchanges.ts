import type { Claim } from '../db/claim-deliveries.ts';

/**
 * Exchanges of this process that are over, whose results are not being written yet. Their claims
 * still take room of their endpoints in the tables, and no connection: what an endpoint gets at
 * once does not depend on how long results take.
 *
 *   sending ──answered──▶ ended ──its result is about to be written──▶ no longer counted
 *
 * The count is exact or too low. A claim that goes by it has locked the endpoint's row before a
 * result that was counted can take its claim off that row: otherwise both would give the same room.
 */
export type EndedExchanges = {
  add(claim: Claim): void;
  /** No longer counts these; resolves when nobody goes by a count with them any more. */
  remove(claims: readonly Claim[]): Promise<void>;
  /** `lock` locks endpoints by these numbers of ended exchanges, by tenant. */
  count<T>(lock: (ended: ReadonlyMap<string, number>) => Promise<T>): Promise<T>;
};

export function createEndedExchanges(): EndedExchanges {
  const ended = new Set<Claim>();
  const locking = new Set<Promise<unknown>>();

  return {
    add: (claim) => void ended.add(claim),

    async remove(claims) {
      for (const claim of claims) ended.delete(claim);
      await Promise.allSettled(locking);
    },

    async count(lock) {
      const byTenant = new Map<string, number>();
      for (const { tenantId } of ended) byTenant.set(tenantId, (byTenant.get(tenantId) ?? 0) + 1);
      const locked = lock(byTenant);
      locking.add(locked);
      try {
        return await locked;
      } finally {
        locking.delete(locked);
      }
    },
  };
}

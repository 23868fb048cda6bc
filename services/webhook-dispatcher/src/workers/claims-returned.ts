import { setTimeout as delay } from 'node:timers/promises';
import { ask, type Asked, createBatcher, upTo } from '@tributary/runtime/batcher';
import type { Logger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import type { Claim } from '../db/claim-deliveries.ts';
import { releaseClaims } from '../db/release-claims.ts';

/**
 * Gives claims back that were not sent: in batches, until the database takes them, as a living
 * worker's claim is freed by nobody else.
 */
export type ClaimsReturned = {
  /** False when the database does not take it before the end; then the lease runs out. */
  add(claim: Claim): Promise<boolean>;
  giveUpAfter(graceMs: number): void;
};

const maxBatch = 500;
const retryMs = 500;

export function createClaimsReturned(options: { pool: pg.Pool; logger: Logger }): ClaimsReturned {
  const { pool, logger } = options;
  let giveUpAtMs = Infinity;
  const batcher = createBatcher<Asked<Claim, boolean>>({
    take: upTo(maxBatch),
    async send(batch) {
      const released = await release(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve(released);
    },
  });

  async function release(claims: readonly Claim[]): Promise<boolean> {
    for (;;) {
      try {
        await inTransaction(pool, (tx) => releaseClaims(tx, claims));
        return true;
      } catch (error) {
        logger.warn('claims cannot be given back; trying again', { claims: claims.length, error });
        if (performance.now() >= giveUpAtMs) return false;
        await delay(retryMs);
      }
    }
  }

  return {
    add: (claim) => ask(batcher, claim),
    giveUpAfter(graceMs) {
      giveUpAtMs = performance.now() + graceMs;
    },
  };
}

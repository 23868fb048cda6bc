import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import type { Claim } from './adapters/postgres/claim-deliveries.ts';
import { releaseClaims } from './adapters/postgres/release-claims.ts';

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
  const unsent: { claim: Claim; settle: (released: boolean) => void }[] = [];
  let releasing = false;
  let giveUpAtMs = Infinity;

  async function release(): Promise<void> {
    if (releasing) return;
    releasing = true;
    // What is given back in the same turn goes together.
    await Promise.resolve();
    while (unsent.length > 0) {
      const batch = unsent.slice(0, maxBatch);
      const released = await tryRelease(batch.map(({ claim }) => claim));
      if (released === undefined) continue;
      unsent.splice(0, batch.length);
      for (const { settle } of batch) settle(released);
    }
    releasing = false;
  }

  /** Undefined: to be tried again. */
  async function tryRelease(claims: readonly Claim[]): Promise<boolean | undefined> {
    try {
      await inTransaction(pool, (tx) => releaseClaims(tx, claims));
      return true;
    } catch (error) {
      logger.warn('claims cannot be given back; trying again', { claims: claims.length, error });
      if (performance.now() >= giveUpAtMs) return false;
      await delay(retryMs);
      return undefined;
    }
  }

  return {
    add: (claim) =>
      new Promise((settle) => {
        unsent.push({ claim, settle });
        void release();
      }),
    giveUpAfter(graceMs) {
      giveUpAtMs = performance.now() + graceMs;
    },
  };
}

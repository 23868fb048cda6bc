import type { Component } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import { createRepeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import {
  backendOf,
  cancelLedgerCheck,
  claimLedgerCheck,
  giveUpLedgerCheck,
  readUnbalanced,
  writeLedgerCheck,
} from '../db/ledger-check.ts';

/**
 * Compares what recipients have with what the ledger says, of all recipients at once, in the live
 * generation. A constraint of the table sees to it that each posting sums to zero; this finds what
 * no row can show: a posting that lacks, or an amount that something else than a fold has changed.
 *
 * Replicas share one row that says when a check was begun last, and whoever finds one due checks
 * (decision 90).
 */
export function createLedgerCheck(options: {
  pool: pg.Pool;
  logger: Logger;
  isLive: () => boolean;
}): Component & { check(): Promise<void> } {
  const { pool, logger, isLive } = options;
  let backend: number | undefined;
  let stopping = false;

  async function check(): Promise<void> {
    if (stopping || !isLive() || !(await claimLedgerCheck(pool))) return;
    const { recipients, tenantIds } = await findUnbalanced().catch(async (error: unknown) => {
      if (!stopping) await giveUpLedgerCheck(pool).catch(() => undefined);
      throw error;
    });
    if (recipients === 0) return;
    logger.error('alert: the ledger is not balanced; see docs/runbooks/ledger.md', {
      recipients,
      tenantIds: tenantIds.slice(0, 20),
    });
  }

  async function findUnbalanced(): Promise<{ recipients: number; tenantIds: string[] }> {
    try {
      return await inTransaction(pool, async (tx) => {
        backend = await backendOf(tx);
        if (stopping) return { recipients: 0, tenantIds: [] };
        const tenants = await readUnbalanced(tx);
        const recipients = tenants.reduce((sum, tenant) => sum + tenant.recipients, 0);
        await writeLedgerCheck(tx, recipients);
        return { recipients, tenantIds: tenants.map(({ tenantId }) => tenantId) };
      });
    } finally {
      backend = undefined;
    }
  }

  const repeater = createRepeater({
    everyMs: 15_000,
    work: check,
    onFailure: (error) => logger.warn('the ledger could not be checked', { error }),
  });
  return {
    start: () => repeater.start(),
    check,
    async stop() {
      stopping = true;
      const stopped = repeater.stop();
      // Again and again, as one that comes between two statements ends nothing.
      const cancel = () => backend !== undefined && cancelLedgerCheck(pool, backend);
      const cancelling = setInterval(() => void cancel(), 250);
      await cancel();
      await stopped.finally(() => clearInterval(cancelling));
    },
  };
}

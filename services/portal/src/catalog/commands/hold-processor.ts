import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ProcessorConnectionRow,
  readProcessorConnection,
  releaseProcessorConnection,
  takeProcessorConnection,
} from '../db/processor-connections.ts';
import type { Deployment } from './deployment.ts';

/** Longer than the two questions to Stripe that are asked at most while a connection is held. */
const heldSeconds = 60;
/** The edge waits for 30 s in all. */
const waitMs = 8_000;
const pauseMs = 100;

export type Held = { holder: string; row: ProcessorConnectionRow };

/**
 * Changes of a connection are made at Stripe and then here, so no transaction holds them together.
 * One process at a time is at it, by a mark on the row that lasts for a minute at most: no database
 * connection and no lock is kept while Stripe is asked, and who dies is in nobody's way for long.
 * What is written afterwards is written only by who still holds the row; a holder that was stopped
 * for over a minute writes nothing.
 *
 * `work` sees the row as it is once it is held. `busy`: another one is at it.
 */
export async function holdProcessor<T>(
  { pool }: Pick<Deployment, 'pool'>,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  work: (held: Held) => Promise<T>,
): Promise<T | { outcome: 'busy' } | { outcome: 'no-connection' }> {
  if ((await readProcessorConnection(pool, tenantId, connectionId)) === undefined) {
    return { outcome: 'no-connection' };
  }
  const holder = randomUUID();
  const take = () => takeProcessorConnection(pool, holder, { connectionId, seconds: heldSeconds });
  const giveUpAt = performance.now() + waitMs;
  while (!(await take())) {
    if (performance.now() > giveUpAt) return { outcome: 'busy' };
    await delay(pauseMs);
  }
  try {
    const row = await readProcessorConnection(pool, tenantId, connectionId);
    return row === undefined ? { outcome: 'no-connection' } : await work({ holder, row });
  } finally {
    // Not reached, it is free after a minute; what was done is done.
    await releaseProcessorConnection(pool, holder, connectionId).catch(() => undefined);
  }
}

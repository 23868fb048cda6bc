import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { Incoming } from '@tributary/event-log/projection';
import { noteSpans } from '@tributary/event-log/record-traces';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { createApplyCatalog } from './apply-catalog.ts';
import { createApplyCodes } from './apply-codes.ts';
import { createApplyEvents } from './apply-events.ts';
import type { DecideFacts } from '../fold/decide-facts.ts';
import type { AttributionMetrics } from '../metrics.ts';
import type { Limits } from '../fold/batch-limits.ts';

export const eventsSource = 'events';
export const codesSource = 'codes';
export const catalogSource = 'catalog';

/** One partition's records, in order, into the caller's transaction. */
export function createApplyBatch(options: {
  decideFacts: DecideFacts;
  limits?: Limits;
  logger: Logger;
  metrics: AttributionMetrics;
}): (tx: Tx, batch: readonly Incoming[]) => Promise<void> {
  const { metrics } = options;
  const applyEvents = createApplyEvents(options);
  const applyCodes = createApplyCodes(options);
  const applyCatalog = createApplyCatalog(options);

  async function apply(tx: Tx, source: string | undefined, values: unknown[]): Promise<void> {
    switch (source) {
      case eventsSource:
        return applyEvents(tx, values as EventRecord[]);
      case codesSource:
        return applyCodes(tx, values as CodeRecord[]);
      case catalogSource:
        return applyCatalog(tx, values as CatalogRecord[]);
      default:
        throw new Error(`no such source: ${source}`);
    }
  }

  return async function applyBatch(tx, batch) {
    // None of the three topics erases, so a tombstone says nothing here.
    const values = batch.map((incoming) => incoming.value).filter((value) => value !== null);
    if (values.length === 0) return;
    const source = batch[0]?.source;
    if (source === eventsSource) {
      noteSpans(tx, batch as readonly Incoming<EventRecord>[], ({ eventId }) => eventId);
    }
    const done = metrics.timeBatch(source ?? '');
    await apply(tx, source, values);
    done();
  };
}

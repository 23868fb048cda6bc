import { catalogCodec, type CatalogRecord } from '@tributary/contracts/catalog-record';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { Log } from './connect-log.ts';
import { createGlobalTable, type GlobalTable } from './global-table.ts';

/** The catalog, held in memory as this view of it. To be started; stops by `onStop`. */
export function followCatalog(
  { kafka, nameOf }: Pick<Log, 'kafka' | 'nameOf'>,
  view: { apply(record: CatalogRecord): void },
  { logger, onStop }: { logger: Logger; onStop: OnStop },
): GlobalTable {
  const catalog = createGlobalTable({
    kafka,
    logger,
    topic: nameOf('catalog'),
    codec: catalogCodec,
    apply: (record) => view.apply(record),
  });
  onStop('catalog', () => catalog.stop());
  return catalog;
}

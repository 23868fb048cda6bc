import { catalogCodec, type CatalogRecord } from '@tributary/contracts/catalog-record';
import type { Composition } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import type { Log } from './connect-log.ts';
import { createGlobalTable, type GlobalTable } from './global-table.ts';

/** The catalog, held in memory as this view of it. To be started by the caller. */
export function followCatalog(
  { kafka, nameOf }: Pick<Log, 'kafka' | 'nameOf'>,
  view: { apply(record: CatalogRecord): void },
  { logger, add }: Pick<Composition, 'add'> & { logger: Logger },
): GlobalTable {
  const catalog = createGlobalTable({
    kafka,
    logger,
    topic: nameOf('catalog'),
    codec: catalogCodec,
    apply: (record) => view.apply(record),
  });
  return add('catalog', catalog);
}

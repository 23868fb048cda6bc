import { type CatalogRecord, catalogCodec } from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import { type IssuanceFact, issuanceCodec } from '@tributary/contracts/issuance-record';
import type { Codec } from '@tributary/contracts/record';
import { recordKey } from '@tributary/contracts/topics';
import { catalogList } from '../catalog.ts';
import type { Shape, SpooledTopic } from '../cut.ts';
import { shardOf } from '../store/hash.ts';

/** Where a record lies in the spool: with all that one task wants together. */
export type SpoolPlace = { name: string; key: string };

export type Route<T> = {
  codec: Codec<T>;
  /** By what the record says, whatever its key on the log; undefined: no fold looks at it. */
  placeOf(record: T, shape: Shape): SpoolPlace | undefined;
};

type SpooledRecords = {
  events: EventRecord;
  codes: CodeRecord;
  catalog: CatalogRecord;
  issuances: IssuanceFact;
};

export const routes: { [T in SpooledTopic]: Route<SpooledRecords[T]> } = {
  events: {
    codec: eventCodec,
    placeOf: ({ tenantId, newUser }, { shards }) =>
      placeIn('events', recordKey(tenantId, newUser.id), shards),
  },
  codes: {
    codec: codeCodec,
    placeOf: ({ tenantId, ucc }, { buckets }) =>
      placeIn('codes', recordKey(tenantId, ucc), buckets),
  },
  catalog: {
    codec: catalogCodec,
    placeOf: ({ entity, tenantId }) =>
      entity === 'campaign-revision' || entity === 'tenant'
        ? { name: catalogList, key: tenantId }
        : undefined,
  },
  issuances: {
    codec: issuanceCodec,
    placeOf: ({ tenantId, recipientId }, { shards }) =>
      placeIn('issuances', recordKey(tenantId, recipientId), shards),
  },
};

function placeIn(list: string, key: string, pieces: number): SpoolPlace {
  return { name: `${list}/${shardOf(key, pieces)}`, key };
}

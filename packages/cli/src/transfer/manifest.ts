import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { catalogCodec } from '@tributary/contracts/catalog-record';
import { codeCodec } from '@tributary/contracts/code-record';
import { deliveryCodec } from '@tributary/contracts/delivery-record';
import { eventCodec } from '@tributary/contracts/event-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { personCodec } from '@tributary/contracts/people-record';
import { processorCodec } from '@tributary/contracts/processor-record';

/**
 * What travels, in the order in which it is appended: whoever reads a half import must find effects
 * before their causes, or it would grant and send again what was granted and sent. What is derived
 * (decisions, entitlements) is left out: the folds derive it again.
 */
export const transferOrder = [
  'deliveries',
  'issuances',
  'catalog',
  'codes',
  'people',
  'events',
  'processor',
] as const;
export type TransferTopic = (typeof transferOrder)[number];

/**
 * The order in which the ends are looked up, while a deployment may go on working: again effects
 * first, so that an export never has an effect without its cause.
 */
export const cutOrder: readonly TransferTopic[] = [
  'deliveries',
  'issuances',
  'events',
  'processor',
  'people',
  'codes',
  'catalog',
];

/** Topics that an export may be without: who asks for no people, and exports of before Stripe. */
const mayLack: readonly TransferTopic[] = ['people', 'processor'];

/** The schema version that this program writes and reads, of the records of each topic. */
export const schemaVersions: Record<TransferTopic, number> = {
  events: eventCodec.schemaVersion,
  people: personCodec.schemaVersion,
  codes: codeCodec.schemaVersion,
  catalog: catalogCodec.schemaVersion,
  issuances: issuanceCodec.schemaVersion,
  deliveries: deliveryCodec.schemaVersion,
  processor: processorCodec.schemaVersion,
};

const Count = Type.Integer({ minimum: 0 });
const Offset = Type.String({ pattern: '^[0-9]+$' });

export const TopicExport = Type.Object({
  topic: Type.Union(transferOrder.map((name) => Type.Literal(name))),
  /** gzip of NDJSON, see record-line.ts. */
  file: Type.String({ pattern: '^[a-z]+\\.ndjson\\.gz$' }),
  /** The size of the file as it is, compressed. */
  bytes: Count,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  records: Count,
  /**
   * How many records are of which schema version; `none` for tombstones and what no reader takes.
   */
  schemaVersions: Type.Record(Type.String(), Count),
  /** The offsets that were read of each partition: from `from`, to before `to`. */
  partitions: Type.Array(
    Type.Object({ partition: Count, from: Offset, to: Offset, records: Count }),
  ),
});
export type TopicExport = Static<typeof TopicExport>;

export const Manifest = Type.Object({
  format: Type.Literal('tributary-export'),
  formatVersion: Type.Literal(1),
  startedAt: Type.String(),
  endedAt: Type.String(),
  /** Put before the names of the topics that were read. */
  topicPrefix: Type.String(),
  /** Consumer groups that were at work meanwhile; empty for a deployment that stood still. */
  groupsAtWork: Type.Array(Type.String()),
  topics: Type.Array(TopicExport),
});
export type Manifest = Static<typeof Manifest>;

export const manifestFile = 'manifest.json';

/** @throws {Error} with what is wrong, in words that follow the name of the file. */
export function parseManifest(text: string): Manifest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Error('is not JSON', { cause: error });
  }
  const { format, formatVersion } = (parsed ?? {}) as Record<string, unknown>;
  if (format !== 'tributary-export') throw new Error('is not the manifest of an export');
  if (formatVersion !== 1) {
    throw new Error(`has format version ${String(formatVersion)}; this program reads version 1`);
  }
  const error = Value.Errors(Manifest, parsed).First();
  if (error) throw new Error(`is damaged at ${error.path || '/'}`);
  const manifest = parsed as Manifest;
  const names = new Set(manifest.topics.map(({ topic }) => topic));
  if (names.size < manifest.topics.length) throw new Error('names a topic twice');
  const missing = transferOrder.find((topic) => !mayLack.includes(topic) && !names.has(topic));
  if (missing !== undefined) throw new Error(`has no topic ${missing}`);
  return manifest;
}

/** Why this program must not import it: records of a newer program are in it. */
export function findNewer({ topics }: Manifest): string | undefined {
  for (const { topic, schemaVersions: found } of topics) {
    const highest = Math.max(
      0,
      ...Object.keys(found)
        .filter((name) => name !== 'none')
        .map(Number),
    );
    if (highest > schemaVersions[topic]) {
      return (
        `${topic} has records of schema version ${highest}, this program reads up to ` +
        `${schemaVersions[topic]}: import it with the version that wrote it, or a newer one`
      );
    }
  }
  return undefined;
}

import type { Codec } from '@tributary/contracts/record';
import { createKafka } from '@tributary/event-log/kafka';
import { readRaw } from '@tributary/event-log/read-raw';
import type { Logger } from '@tributary/runtime/logger';
import { brokerName, type Shape, spooledTopics, type SpooledTopic } from '../cut.ts';
import { brokenList } from '../phases/count-broken.ts';
import { createFileStore } from '../store/file-store.ts';
import { appendSpooled } from '../store/spooled.ts';
import { HistoryRefused, type LogSettings } from '../types.ts';
import type { Gate } from '../processes/gate.ts';
import { restoreCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { type Route, routes } from './route-record.ts';

/** What one process reads: its share of the partitions, each up to an offset. */
export type SpoolTask = {
  dir: string;
  part: number;
  parts: number;
  shape: Shape;
  log: LogSettings;
  tenantId?: string | undefined;
  /** End by `topic/partition`. */
  ends: Record<string, string>;
  /** Whether a record newer than this release is refused; otherwise its partition is left there. */
  refuseNewer: boolean;
};

const checkpointEvery = 50_000;

/**
 * Reads its partitions into files, sorted by what later tasks want together, and goes on where an
 * earlier run was killed. Records are checked here, so that nobody has to do it again; broken ones
 * are noted and left out, as the projections do.
 */
export async function spoolPart(
  task: SpoolTask,
  { logger, gate, onRead }: { logger: Logger; gate: Gate; onRead: (records: number) => void },
): Promise<void> {
  const { dir, part, parts, shape, ends, tenantId } = task;
  const next = new Map(Object.entries(restoreCheckpoint(dir, part)));
  const store = createFileStore({ dir, part, parts });
  const kafka = createKafka({ settings: task.log.kafka, clientId: 'replay', logger });
  const stopped = new Set<string>();
  let unsaved = 0;

  function take(topic: SpooledTopic, partition: number, record: RawRecord): void {
    const name = nameOf(topic, partition);
    if (stopped.has(name)) return;
    const { codec, placeOf } = routes[topic] as unknown as Route<{ tenantId: string }>;
    const decoded = codec.decode(record.value);
    const place = { partition, offset: Number(record.offset) };
    if (decoded.outcome === 'newer') {
      if (task.refuseNewer) throw tooNew(codec, name, record.offset, decoded.schemaVersion);
      stopped.add(name);
      return;
    }
    if (decoded.outcome === 'broken') {
      appendSpooled(store, { name: brokenList, key: topic }, place, Buffer.alloc(0));
    } else if (decoded.outcome === 'record' && isWanted(decoded.value)) {
      const to = placeOf(decoded.value, shape);
      // As it lies on the log, or lifted to today's version.
      if (to)
        appendSpooled(store, to, place, textOf(record.value!, decoded.value, codec.schemaVersion));
    }
    next.set(name, String(BigInt(record.offset) + 1n));
  }

  const isWanted = (record: { tenantId: string }) =>
    tenantId === undefined || record.tenantId === tenantId;
  const nameOf = (topic: SpooledTopic, partition: number) =>
    `${brokerName(topic, task.log.prefix)}/${partition}`;

  function save(): void {
    store.flush();
    writeCheckpoint(dir, part, Object.fromEntries(next));
    unsaved = 0;
  }

  async function readTopic(topic: SpooledTopic, signal: AbortSignal): Promise<void> {
    const name = brokerName(topic, task.log.prefix);
    const ranges = new Map(
      Object.entries(ends)
        .filter(([partition]) => partition.startsWith(`${name}/`) && !stopped.has(partition))
        .map(([partition, to]) => [
          Number(partition.slice(name.length + 1)),
          { from: BigInt(next.get(partition) ?? 0), to: BigInt(to) },
        ]),
    );
    await readRaw({
      ...{ kafka, logger, topic: name, ranges, signal },
      onSlice({ partition, records }) {
        for (const record of records) take(topic, partition, record);
        unsaved += records.length;
        onRead(records.length);
        if (unsaved >= checkpointEvery) save();
      },
    });
  }

  await gate.whileOpen(async (signal) => {
    await Promise.all(spooledTopics.map((topic) => readTopic(topic, signal)));
  });
  save();
}

type RawRecord = { offset: string; value: Buffer | null };

function textOf(raw: Buffer, value: object, schemaVersion: number): Buffer {
  const fields = `"schemaVersion":${schemaVersion}`;
  return raw.includes(fields) ? raw : Buffer.from(JSON.stringify(value));
}

function tooNew(
  codec: Pick<Codec<unknown>, 'name' | 'schemaVersion'>,
  name: string,
  offset: string,
  version: number,
): Error {
  return new HistoryRefused(
    `${name} offset ${offset} has ${codec.name} schemaVersion ${version}, this release reads up ` +
      `to ${codec.schemaVersion}: deploy a newer release`,
  );
}

import { processorCodec, type ProcessorRecord } from '@tributary/contracts/processor-record';
import { recordKey } from '@tributary/contracts/topics';
import type { Appender, Entry } from '@tributary/event-log/appender';

/**
 * A record as it goes on the log, in the partition of its subject. Throws when it breaks its
 * contract.
 */
export function entryOf(processorTopic: string, record: ProcessorRecord): Entry {
  return {
    topic: processorTopic,
    key: recordKey(record.tenantId, record.subject),
    value: processorCodec.encode(record),
  };
}

/** @throws {AppendRefused} then each of them is on the log or not; appending them again is safe. */
export async function appendRecords(
  appender: Pick<Appender, 'append'>,
  processorTopic: string,
  records: readonly ProcessorRecord[],
): Promise<void> {
  await appender.append(records.map((record) => entryOf(processorTopic, record)));
}

import type { RawRecord } from '@tributary/event-log/append-raw';

/**
 * One record as a line of an export:
 * `{"partition":3,"offset":"17","key":"acme:ada","value":"{…}"}`. Key and value are text where they
 * are UTF-8, so that people and programs can read along, else base64 under `keyBase64` and
 * `valueBase64`: a record that breaks its contract travels to the byte too. A tombstone has the
 * value null.
 */
export type ExportedRecord = RawRecord & { partition: number; offset: string };

export function toRecordLine({ partition, offset, key, value }: ExportedRecord): string {
  return JSON.stringify({ partition, offset, ...named('key', key), ...named('value', value) });
}

/** @throws {Error} when the text is no line of {@link toRecordLine}. */
export function fromRecordLine(text: string): ExportedRecord {
  const line = JSON.parse(text) as Record<string, unknown>;
  const { partition, offset } = line;
  if (!Number.isInteger(partition) || typeof offset !== 'string') {
    throw new Error('a line is no record of an export');
  }
  return {
    partition: partition as number,
    offset,
    key: bytesOf(line, 'key'),
    value: bytesOf(line, 'value'),
  };
}

function named(name: 'key' | 'value', bytes: Buffer | null): Record<string, string | null> {
  if (bytes === null) return { [name]: null };
  const text = bytes.toString('utf8');
  // What is not UTF-8 does not come back: replaced bytes are others.
  return Buffer.from(text, 'utf8').equals(bytes)
    ? { [name]: text }
    : { [`${name}Base64`]: bytes.toString('base64') };
}

function bytesOf(line: Record<string, unknown>, name: 'key' | 'value'): Buffer | null {
  const text = line[name];
  if (text === null) return null;
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  const base64 = line[`${name}Base64`];
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  throw new Error(`a line has no ${name}`);
}

/** The schema version that a record says of itself; `none` where it says none. */
export function schemaVersionOf(value: Buffer | null): string {
  if (value === null) return 'none';
  try {
    const { schemaVersion } = JSON.parse(value.toString('utf8')) as { schemaVersion?: unknown };
    return Number.isInteger(schemaVersion) ? String(schemaVersion) : 'none';
  } catch {
    return 'none';
  }
}

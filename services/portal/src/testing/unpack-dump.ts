import { unpackEntries } from '@tributary/event-log/outbox-rows';
import { unpack } from '../console/db/stored/pack.ts';

/**
 * Rows as Postgres shows them as text, with the columns of bytes as whoever reads them sees them:
 * records of an outbox, packed records of the read model, or plain bytes. Nothing could be found in
 * the hexadecimal digits that Postgres shows.
 */
export function unpackDump(dump: string): string {
  return dump.replace(/\\+x((?:[0-9a-f]{2})+)/g, (_all, digits: string) =>
    JSON.stringify(unpackAny(Buffer.from(digits, 'hex'))),
  );
}

function unpackAny(bytes: Buffer): unknown {
  for (const read of [unpackEntries, unpack]) {
    try {
      return read(bytes);
    } catch {
      // It is in another form.
    }
  }
  return bytes.toString('latin1');
}

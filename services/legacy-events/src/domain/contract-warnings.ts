import { warningsOf } from '@tributary/contracts/warning';
import type { Warning } from './field-reader.ts';

/**
 * The warnings of interface 2.7 that a v2 event with these values would get, with the pointers of
 * the legacy envelope. They are kept in the record for people who look later; the answer of this
 * endpoint has no room for them.
 */
export function contractWarnings(event: Parameters<typeof warningsOf>[0]): Warning[] {
  return warningsOf(event).map(({ code, detail, pointer }) => {
    if (pointer === undefined) return { code, detail };
    const legacy = legacyPointer(pointer);
    return { code, detail: detail.replace(pointer, legacy), pointer: legacy };
  });
}

function legacyPointer(pointer: string): string {
  return pointer === '/occurredAt' ? '/context/event/timestamp' : `/context${pointer}`;
}

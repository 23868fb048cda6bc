import { open } from 'node:fs/promises';
import type { LineFile } from '../domain/live-state.ts';

/**
 * Writes lines of state to a file as they come. The last line of an answer says how many there were
 * and is not written.
 *
 * @throws when that line is not there, or says another number: the answer was broken off.
 */
export async function storeLines(rest: AsyncIterable<Uint8Array>, path: string): Promise<LineFile> {
  const file = await open(path, 'w');
  let lines = 0;
  /** From the last whole line on: it may be the end. */
  let held = Buffer.alloc(0);
  try {
    for await (const chunk of rest) {
      held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
      const whole = startOfLastLine(held);
      if (whole <= 0) continue;
      const reported = held.subarray(0, whole);
      await file.writeFile(reported);
      lines += countLines(reported);
      held = held.subarray(whole);
    }
  } finally {
    await file.close();
  }
  const size = numberAtEnd(held.toString('utf8'));
  if (size !== lines) {
    throw new Error(`the answer was broken off: ${lines} lines came, of ${size ?? 'a number'}`);
  }
  return { path, lines };
}

/** Where the last complete line begins; 0 when it is the only one. */
function startOfLastLine(bytes: Buffer): number {
  const end = bytes.lastIndexOf(newline);
  return end <= 0 ? 0 : bytes.lastIndexOf(newline, end - 1) + 1;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1;
  return count;
}

const newline = 10;

function numberAtEnd(text: string): number | undefined {
  try {
    const { end, lines } = JSON.parse(text) as { end?: unknown; lines?: unknown };
    return end === true && typeof lines === 'number' ? lines : undefined;
  } catch {
    return undefined;
  }
}

import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const shownLines = 20;

/** The last lines of a log since a place in it, for a report of what went wrong. */
export function tailOf(file: string, fromByte = 0): string {
  if (!existsSync(file)) return '';
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.max(0, Math.min(size - fromByte, 16_384)));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8').trimEnd().split('\n').slice(-shownLines).join('\n');
  } finally {
    closeSync(descriptor);
  }
}

/** Where the next line of a log will begin. */
export function endOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

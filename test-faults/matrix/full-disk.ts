import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';

const largestChunk = 1_048_576;
const smallestChunk = 4_096;
const lookEveryMs = 50;

export type FullDisk = {
  /** Bytes that are left on it now. */
  left(): Promise<number>;
  /** Gives all back that was taken. */
  clear(): void;
};

/**
 * Fills a file system in memory, that of a directory, to its last byte, and keeps it full: what
 * others give back meanwhile is taken, too. At once, so that it is full at the moment that was
 * meant, however busy this process is.
 */
export function fillDisk(dir: string): FullDisk {
  const path = join(dir, 'filler');
  const file = openSync(path, 'a');
  takeAll(file);
  const keeping = setInterval(() => takeAll(file), lookEveryMs);
  return {
    async left() {
      const { bavail, bsize } = await statfs(dir);
      return bavail * bsize;
    },
    clear() {
      clearInterval(keeping);
      closeSync(file);
      rmSync(path, { force: true });
    },
  };
}

function takeAll(file: number): void {
  for (let size = largestChunk; size >= smallestChunk;) {
    try {
      writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      size /= 16;
    }
  }
}

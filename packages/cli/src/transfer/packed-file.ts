import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** A gzip file of lines that is being written; its sum is that of the file as it lies on disk. */
export type PackedFile = {
  write(lines: string): Promise<void>;
  /** When it is safely on disk. */
  close(): Promise<{ bytes: number; sha256: string }>;
  /** Leaves it as it is, half written. */
  destroy(): void;
};

export function writePackedFile(path: string): PackedFile {
  const sum = createHash('sha256');
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      sum.update(chunk);
      done(null, chunk);
    },
  });
  const gzip = createGzip({ level: 4 });
  // Secrets are in it, sealed, and e-mails, if wanted: for its owner alone.
  const written = pipeline(gzip, count, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  written.catch(() => undefined);
  const failed = written.then(() => undefined);

  return {
    async write(lines) {
      if (!gzip.write(lines)) await Promise.race([once(gzip, 'drain'), failed]);
    },
    async close() {
      gzip.end();
      await written;
      const file = await open(path, 'r');
      try {
        await file.sync();
      } finally {
        await file.close();
      }
      return { bytes, sha256: sum.digest('hex') };
    },
    destroy: () => void gzip.destroy(),
  };
}

export async function sumOfFile(
  path: string,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const sum: Hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1 << 20 })) {
    sum.update(chunk as Buffer);
    onBytes((chunk as Buffer).length);
  }
  return sum.digest('hex');
}

/**
 * The lines of a file that {@link writePackedFile} wrote. @throws when it is damaged or cut off.
 */
export async function* readPackedLines(path: string): AsyncGenerator<string> {
  const unpacked = createGunzip({ chunkSize: 1 << 18 });
  const source = createReadStream(path, { highWaterMark: 1 << 18 });
  const feeding = pipeline(source, unpacked);
  // Said by the loop below, which reads the same stream.
  feeding.catch(() => undefined);
  try {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of unpacked) {
      // By the line feed alone: text of a record may hold any other line end.
      const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
      let from = 0;
      for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, from)) {
        yield bytes.toString('utf8', from, end);
        from = end + 1;
      }
      rest = bytes.subarray(from);
    }
    if (rest.length > 0) throw new Error('the last line is cut off');
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}

const lineFeed = 0x0a;

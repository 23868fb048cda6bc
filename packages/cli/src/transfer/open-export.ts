import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TransferFailed } from '../failures.ts';
import { findNewer, type Manifest, manifestFile, parseManifest } from './manifest.ts';
import { sumOfFile } from './packed-file.ts';

/**
 * The manifest of an export that is whole: every file is there, has its sum, and holds nothing
 * newer than this program reads. Nothing of it was used before all of that is known.
 *
 * @throws {TransferFailed} saying which file and what is wrong with it.
 */
export async function openExport(options: {
  directory: string;
  signal: AbortSignal;
  onProgress: (doneBytes: number, leftBytes: number) => void;
}): Promise<Manifest> {
  const { directory, signal, onProgress } = options;
  const manifest = await readManifest(directory);
  const newer = findNewer(manifest);
  if (newer !== undefined) throw new TransferFailed(`${capital(newer)}.`);

  const total = manifest.topics.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { file, bytes, sha256 } of manifest.topics) {
    const path = join(directory, file);
    const size = await stat(path).then((found) => found.size, missing(path));
    if (size !== bytes) {
      throw new TransferFailed(`${path} has ${size} bytes, the manifest says ${bytes}.`);
    }
    const onBytes = (count: number) => onProgress((done += count), total - done);
    if ((await sumOfFile(path, onBytes, signal)) !== sha256) {
      throw new TransferFailed(`${path} is damaged: its SHA-256 is not that of the manifest.`);
    }
  }
  return manifest;
}

async function readManifest(directory: string): Promise<Manifest> {
  const path = join(directory, manifestFile);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') return missing(path)(error);
    throw new TransferFailed(
      `${directory} is no export: it has no ${manifestFile}. An export that was ended early has none.`,
    );
  });
  try {
    return parseManifest(text);
  } catch (error) {
    throw new TransferFailed(`${path} ${(error as Error).message}.`, { cause: error });
  }
}

function missing(path: string) {
  return (error: NodeJS.ErrnoException): never => {
    const reason = error.code === 'ENOENT' ? 'is missing' : `cannot be read: ${error.message}`;
    throw new TransferFailed(`${path} ${reason}.`, { cause: error });
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

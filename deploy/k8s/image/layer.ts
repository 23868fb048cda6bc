import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** One layer of an image: an uncompressed tar archive. */
export type Layer = { file: string; /** SHA-256 in hex. */ digest: string; bytes: number };

/** Packs paths below a directory; the same files always give the same archive. */
export async function packLayer(
  file: string,
  { root, paths, rename }: { root: string; paths: readonly string[]; rename: string },
): Promise<Layer> {
  const steady = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  const transform = ['--transform', rename, '--hard-dereference', '--no-recursion'];
  const args = [...steady, ...transform, '-cf', file, '-C', root, '--null', '-T', '-'];
  const running = promisify(execFile)('tar', args);
  running.child.stdin?.end(paths.join('\0'));
  await running;
  return readLayer(file);
}

export async function readLayer(file: string): Promise<Layer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return { file, digest: hash.digest('hex'), bytes: (await stat(file)).size };
}

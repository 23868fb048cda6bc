import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Encoding, encodings } from './choose-encoding.ts';

/** A file of a script in all its encodings, each with its own strong ETag. */
export type Asset = {
  cacheControl: string;
  bodies: Record<Encoding, { bytes: Buffer; etag: string }>;
};

/** By the path that it is served at. */
export type Assets = ReadonlyMap<string, Asset>;

/**
 * Reads the built scripts (build-assets.ts) into memory, and compresses them as far as it goes:
 * that is done once, and they are sent to every visitor of every customer.
 *
 * @throws when there are none: the service would serve nothing of what it is for.
 */
export async function loadAssets(dir: string): Promise<Assets> {
  const files = await Promise.all(
    ['app', 'attribution'].map((part) => listScripts(join(dir, part, 'latest'))),
  );
  const paths = files.flat();
  if (paths.length === 0) {
    throw new Error(
      `there are no scripts in ${dir}; build them: node services/widget/build-assets.ts`,
    );
  }
  return new Map(
    await Promise.all(
      paths.map(async (file): Promise<[string, Asset]> => {
        const path = file.slice(dir.length).split(sep).join('/');
        return [
          path.startsWith('/') ? path : `/${path}`,
          await toAsset(path, await readFile(file)),
        ];
      }),
    ),
  );
}

async function listScripts(dir: string): Promise<string[]> {
  try {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function toAsset(path: string, bytes: Buffer): Promise<Asset> {
  const digest = hash('sha256', bytes, 'hex').slice(0, 32);
  const bodies = await Promise.all(
    encodings.map(async (encoding) => [
      encoding,
      { bytes: await encode[encoding](bytes), etag: `"${digest}-${encoding}"` },
    ]),
  );
  return {
    cacheControl: path.includes('/chunks/') ? forEver : briefly,
    bodies: Object.fromEntries(bodies) as Asset['bodies'],
  };
}

const encode: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: brotliParams }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: async (bytes) => bytes,
};
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

/** The names of chunks have a hash of what is in them. */
const forEver = 'public, max-age=31536000, immutable';
/** What customers' pages name: five minutes after a release all of them have the new one. */
const briefly = 'public, max-age=300, stale-while-revalidate=86400';

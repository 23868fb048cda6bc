import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** How far one part of the spool is: what lies behind `sizes` in its files was not finished. */
export type Checkpoint = {
  /** Next offset by `topic/partition`. */
  next: Record<string, string>;
  /** Bytes by file. */
  sizes: Record<string, number>;
};

/** Written when everything before it is in the files; replaced as a whole. */
export function writeCheckpoint(dir: string, part: number, next: Checkpoint['next']): void {
  const sizes = Object.fromEntries(
    filesOf(dir, part).map((file) => [file, statSync(join(dir, file)).size]),
  );
  const path = join(dir, `checkpoint.${part}.json`);
  writeFileSync(`${path}.new`, JSON.stringify({ next, sizes } satisfies Checkpoint));
  renameSync(`${path}.new`, path);
}

/**
 * Cuts what was not finished off. Files that are shorter than told were lost with their machine:
 * the part begins anew.
 */
export function restoreCheckpoint(dir: string, part: number): Checkpoint['next'] {
  const known = readCheckpoint(dir, part);
  const files = filesOf(dir, part);
  const sizeOf = (file: string) =>
    existsSync(join(dir, file)) ? statSync(join(dir, file)).size : 0;
  const whole = Object.entries(known.sizes).every(([file, size]) => sizeOf(file) >= size);
  const { next, sizes } = whole ? known : nothing;
  for (const file of files) {
    const size = sizes[file];
    if (size === undefined) rmSync(join(dir, file));
    else truncateSync(join(dir, file), size);
  }
  return next;
}

export function readCheckpoint(dir: string, part: number): Checkpoint {
  const path = join(dir, `checkpoint.${part}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Checkpoint) : nothing;
}

const nothing: Checkpoint = { next: {}, sizes: {} };

function filesOf(dir: string, part: number): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(dir, name)).map((file) => `${name}/${file}`))
    .filter((file) => file.endsWith(`.${part}`));
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a directory, folders and links included, none of them followed. */
export function pathsBelow(root: string, below = ''): string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? [path, ...pathsBelow(root, path)] : [path];
  });
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As a Secret is mounted in a pod: a file for each name, beside which Kubernetes has dotfiles. */
export function readPasswordDirectory(dir: string): Record<string, string> {
  const names = readdirSync(dir).filter((name) => !name.startsWith('.'));
  const read = (name: string) => readFileSync(join(dir, name), 'utf8').trim();
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}

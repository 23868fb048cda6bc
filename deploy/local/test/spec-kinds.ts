// What the name of a spec says of it, in any order: `x.int.spec.ts`, `x.int.long.spec.ts`.

/** It needs servers. */
export function isIntegration(file: string): boolean {
  return marksOf(file).includes('int');
}

/** Runs with `--long` only. */
export function isLong(file: string): boolean {
  return marksOf(file).includes('long');
}

function marksOf(file: string): string[] {
  return (file.split('/').at(-1) ?? '').split('.').slice(1, -2);
}

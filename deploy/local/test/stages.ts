import { glob } from 'node:fs/promises';

/** A stage is one check of the whole tree, or the mocha tests in some files. */
export type Stage = { name: string; limitMinutes: number } & (
  | { kind: 'check'; command: readonly string[] }
  | { kind: 'mocha'; files: () => Promise<string[]>; timeoutMs: number; sharedServers: boolean }
);

const besideTheCode = ['packages', 'services', 'deploy', 'bench', 'lint'];

// In the order in which a mistake is cheapest to find.
export const stages: readonly Stage[] = [
  check('format', ['prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.']),
  check('lint', ['eslint/bin/eslint.js', '--max-warnings', '0', '.']),
  check('types', ['typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']),
  {
    ...{ name: 'unit', kind: 'mocha', limitMinutes: 5, timeoutMs: 20_000, sharedServers: false },
    files: () => specFiles(besideTheCode, (file) => !file.endsWith('.int.spec.ts')),
  },
  {
    ...{ name: 'integration', kind: 'mocha', limitMinutes: 15, timeoutMs: 60_000 },
    sharedServers: true,
    files: () => specFiles(besideTheCode, (file) => file.endsWith('.int.spec.ts')),
  },
  {
    ...{ name: 'e2e', kind: 'mocha', limitMinutes: 15, timeoutMs: 120_000, sharedServers: false },
    files: () => specFiles(['test-e2e']),
  },
  {
    ...{ name: 'faults', kind: 'mocha', limitMinutes: 30, timeoutMs: 300_000 },
    sharedServers: false,
    files: () => specFiles(['test-faults']),
  },
];

function check(name: string, command: readonly string[]): Stage {
  return { name, kind: 'check', limitMinutes: 5, command };
}

async function specFiles(
  roots: readonly string[],
  wanted: (file: string) => boolean = () => true,
): Promise<string[]> {
  const patterns = roots.map((root) => `${root}/**/*.spec.ts`);
  const exclude = (name: string) => name.split('/').at(-1) === 'node_modules';
  const found: string[] = [];
  for await (const file of glob(patterns, { exclude })) found.push(file);
  return found.filter(wanted).sort();
}

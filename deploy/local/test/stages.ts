import { glob, stat } from 'node:fs/promises';

/** A stage is one check of the whole tree, or the mocha tests in some files. */
export type Stage = {
  name: string;
  limitMinutes: number;
  /** The others need what it makes, so it runs whichever are asked for. */
  always?: true;
} & (
  | { kind: 'check'; command: readonly string[] }
  | {
      kind: 'mocha';
      /** The files of each process. As many processes run side by side as there are lanes. */
      groups: () => Promise<string[][]>;
      lanes: number;
      timeoutMs: number;
      sharedServers: boolean;
    }
);

const shippedOnly = 'services/widget/browser/tsconfig.shipped.json';
const besideTheCode = ['packages', 'services', 'deploy', 'bench', 'lint'];

// In the order in which a mistake is cheapest to find. Most tests wait more than they compute, so
// two lanes fill two cores; more would make what is late look broken.
export const stages: readonly Stage[] = [
  // The browser scripts, in services/widget/dist; done at once when nothing changed.
  { ...check('scripts', ['../services/widget/build-assets.ts']), always: true },
  check('format', ['prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.']),
  check('lint', ['eslint/bin/eslint.js', '--max-warnings', '0', '.']),
  check('types', ['typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']),
  check('browser-types', ['typescript/bin/tsc', '--noEmit', '-p', 'services/widget/browser']),
  // Once more without the tests, as browsers know nothing of Node.
  check('shipped-types', ['typescript/bin/tsc', '--noEmit', '-p', shippedOnly]),
  {
    ...{ name: 'unit', kind: 'mocha', limitMinutes: 5, timeoutMs: 20_000, sharedServers: false },
    lanes: 2,
    groups: async () => inTwo(await specFiles(besideTheCode, (file) => !isIntegration(file))),
  },
  {
    ...{ name: 'integration', kind: 'mocha', limitMinutes: 30, timeoutMs: 60_000 },
    // Many of these start and stop servers; beside each other they are late now and then.
    ...{ sharedServers: true, lanes: 1 },
    groups: async () => byPlace(await specFiles(besideTheCode, isIntegration)),
  },
  {
    ...{ name: 'e2e', kind: 'mocha', limitMinutes: 25, timeoutMs: 120_000, sharedServers: false },
    lanes: 1, // all of it on one running system
    groups: async () => [await specFiles(['test-e2e'])],
  },
  {
    ...{ name: 'faults', kind: 'mocha', limitMinutes: 40, timeoutMs: 300_000 },
    ...{ sharedServers: true, lanes: 2 },
    groups: async () => byPlace(await specFiles(['test-faults'])),
  },
];

function check(name: string, command: readonly string[]): Stage {
  return { name, kind: 'check', limitMinutes: 5, command };
}

function isIntegration(file: string): boolean {
  return file.endsWith('.int.spec.ts');
}

function inTwo(files: readonly string[]): string[][] {
  return [0, 1].map((rest) => files.filter((_, i) => i % 2 === rest));
}

/**
 * Grouped by package, service or folder; a fault spec that has a system of its own is on its own.
 * What probably takes longest begins first, so that the lanes end at about the same time.
 */
async function byPlace(files: readonly string[]): Promise<string[][]> {
  const groups = new Map<string, { files: string[]; bytes: number }>();
  for (const file of files) {
    // Each of these has a system of its own, and takes a minute or two.
    const isAlone = file.startsWith('test-faults/replay/');
    const place = isAlone ? file : file.split('/').slice(0, 2).join('/');
    const group = groups.get(place) ?? { files: [], bytes: 0 };
    group.files.push(file);
    group.bytes += (await stat(file)).size;
    groups.set(place, group);
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes).map((group) => group.files);
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

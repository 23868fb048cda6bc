import { glob, readFile } from 'node:fs/promises';
import { type Chunk, chunksOf } from './chunks.ts';
import { readDurations, secondsOf } from './durations.ts';
import { isIntegration } from './spec-kinds.ts';

/** Whether the run takes a spec, see `--changed`. */
export type IsWanted = (file: string) => boolean;

/** A stage is one check of the whole tree, or the mocha tests in some files. */
export type Stage = {
  name: string;
  /** For each process; longer on a slow machine, as deadlines of tests are. */
  limitMinutes: number;
  /** The others need what it makes, so it runs whichever are asked for. */
  always?: true;
} & (
  | { kind: 'check'; command: readonly string[] }
  | {
      kind: 'mocha';
      /** The files of each process. As many processes run side by side as there are lanes. */
      chunks: (isWanted: IsWanted) => Promise<Chunk[]>;
      lanes: number;
      timeoutMs: number;
      sharedServers: boolean;
    }
);

const cache = 'node_modules/.cache/tributary';
const besideTheCode = ['packages', 'services', 'deploy', 'bench', 'lint'];

// What browsers load and customers install, in dist/ of its folder; done at once when nothing
// changed.
const scripts: readonly Stage[] = [
  { ...check('scripts', ['../services/widget/build-assets.ts']), always: true },
  { ...check('pages', ['../services/portal/build-assets.ts']), always: true },
  { ...check('clients', ['../deploy/clients/pack-clients.ts']), always: true },
];

// What passed is not looked at again while it is the same, by content: never so with tests.
const checks = [
  check('format', [
    ...['prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.', '--cache'],
    ...['--cache-strategy', 'content', '--cache-location', `${cache}/format`],
  ]),
  check('lint', [
    ...['eslint/bin/eslint.js', '.', '--max-warnings', '0', '--cache'],
    ...['--cache-strategy', 'content', '--cache-location', `${cache}/lint`],
  ]),
  check('typed-lint', ['oxlint/bin/oxlint', '--deny-warnings']),
  typeCheck('types', 'tsconfig.json'),
  typeCheck('browser-types', 'services/widget/browser'),
  // Once more without the tests, as browsers know nothing of Node.
  typeCheck('shipped-types', 'services/widget/browser/tsconfig.shipped.json'),
  typeCheck('page-types', 'services/portal/browser'),
];

const unit: Stage = {
  ...{ name: 'unit', kind: 'mocha', limitMinutes: 5, timeoutMs: 20_000, sharedServers: false },
  lanes: 2, // They compute.
  chunks: async () => {
    const files = await specFiles(besideTheCode, (file) => !isIntegration(file));
    return [0, 1].map((rest) => ({ files: files.filter((_, i) => i % 2 === rest) }));
  },
};

const integration: Stage = {
  ...{ name: 'integration', kind: 'mocha', limitMinutes: 10, timeoutMs: 60_000 },
  // They wait, for servers and for each other's answers, much more than they compute.
  ...{ sharedServers: true, lanes: 4 },
  chunks: async (isWanted) => {
    const all = await specFiles(besideTheCode, isIntegration);
    const files = all.filter(isWanted);
    const apart = await those(files, startsServers);
    return inChunks(files, { most: 12, isApart: (file) => apart.has(file) });
  },
};

/** Specs of the whole system that do not harm it. */
const onItsSystem = 'test-faults/unharmed';

const e2e: Stage = {
  ...{ name: 'e2e', kind: 'mocha', limitMinutes: 40, timeoutMs: 120_000, sharedServers: false },
  lanes: 1, // on one running system
  chunks: async (isWanted) => {
    const files = (await specFiles(['test-e2e', onItsSystem])).filter(isWanted);
    // The commands of the pages are those of a reader whose system nobody else has used.
    const isWalk = (file: string) => file.startsWith('test-e2e/walks/');
    const [walks, others] = [files.filter(isWalk), files.filter((file) => !isWalk(file))];
    return [walks, others].filter((chunk) => chunk.length > 0).map((chunk) => ({ files: chunk }));
  },
};

const faults: Stage = {
  ...{ name: 'faults', kind: 'mocha', limitMinutes: 20, timeoutMs: 300_000 },
  // Whole systems work at full load: two of them keep two cores busy.
  ...{ sharedServers: true, lanes: 2 },
  chunks: async (isWanted) => {
    const all = await specFiles(['test-faults'], (file) => !file.startsWith(`${onItsSystem}/`));
    const files = all.filter(isWanted);
    return inChunks(files, { most: 20, together: ['test-faults/idempotency'] });
  },
};

/**
 * Rounds run one after the other, the rows of a round side by side, the stages of a row in turn.
 * The checks only compute, so they fill what is left of the row that is done first.
 */
export const rounds: readonly (readonly (readonly Stage[])[])[] = [
  [scripts],
  [[unit]],
  [
    [integration, faults],
    [e2e, ...checks],
  ],
];

/** In the order of their output. */
export const stages: readonly Stage[] = rounds.flat(2);

function check(name: string, command: readonly string[]): Stage {
  return { name, kind: 'check', limitMinutes: 10, command };
}

function typeCheck(name: string, project: string): Stage {
  const info = ['--incremental', '--tsBuildInfoFile', `${cache}/${name}.tsbuildinfo`];
  return check(name, ['typescript-7/bin/tsc', '--noEmit', '-p', project, ...info]);
}

/** To kill them, or to have them for itself. */
const startsServers =
  /@tributary\/testkit\/(owned-servers|redis-groups)|\.\/(owned-servers|redis-groups)\.ts/;

async function those(files: readonly string[], wanted: RegExp): Promise<Set<string>> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return new Set(files.filter((_, i) => wanted.test(texts[i]!)));
}

function inChunks(
  files: readonly string[],
  options: Omit<Parameters<typeof chunksOf>[1], 'secondsOf'>,
): Chunk[] {
  const durations = readDurations();
  return chunksOf(files, { ...options, secondsOf: (file) => secondsOf(file, durations) });
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

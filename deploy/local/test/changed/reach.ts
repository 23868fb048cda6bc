import type { Uses } from './read-tree.ts';

/**
 * The specs that a change can reach, or `all` when it is of something that everything depends on.
 * Pages that no source names are read by unit specs only, which run in any case. Another file that
 * nothing names may be found by its folder: what is tested beside it must run, or else everything.
 */
export function specsReached(changed: readonly string[], uses: Uses): Set<string> | 'all' {
  const users = reversed(uses);
  const reached = new Set<string>();
  const waiting: string[] = [];
  for (const file of changed) {
    if (isOfEverything.test(file)) return 'all';
    if (users.has(file) || isSpec(file)) waiting.push(file);
    else if (!file.endsWith('.md')) {
      const unit = /^(packages|services)\/[^/]+\//.exec(file)?.[0];
      if (unit === undefined) return 'all';
      waiting.push(...[...uses.keys()].filter((other) => other.startsWith(unit)));
    }
  }
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    if (isNeededByAll(file)) return 'all';
    reached.add(file);
    waiting.push(...(users.get(file) ?? []));
  }
  return new Set([...reached].filter(isSpec));
}

/** Dependencies, settings of the tools, and what starts the tests. */
const isOfEverything = new RegExp(
  [
    '(^|/)package\\.json$|^pnpm-|^patches/|^\\.mocharc|^tsconfig',
    '^packages/(testkit|native-servers)/src/[^/]+\\.ts$',
    '^deploy/local/(bootstrap\\.mjs|test\\.ts|setup/|test/)',
  ].join('|'),
);

/**
 * Whether what it uses is used by every spec: it sets up the machine, or starts servers. What
 * starts the stages uses, by their paths, every program there is; each stage shows what of them is
 * broken.
 */
function isNeededByAll(file: string): boolean {
  return isOfEverything.test(file) && !startsStages.test(file) && !isSpec(file);
}

const startsStages = /^deploy\/local\/(bootstrap\.mjs|test\.ts|test\/|setup\/browser-scripts\.mjs)/;

function isSpec(file: string): boolean {
  return file.endsWith('.spec.ts');
}

function reversed(uses: Uses): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [user, used] of uses) {
    for (const file of used) users.set(file, [...(users.get(file) ?? []), user]);
  }
  return users;
}

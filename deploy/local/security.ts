import { glob, readFile } from 'node:fs/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AttackGroup, attackGroups, readAttacks } from '@tributary/testkit/attacks';
import { type KnownWeaknesses, knownWeaknesses } from './known-weaknesses.ts';
import { printFailures } from './test/failure.ts';
import { choosePatience } from './test/measure-patience.ts';
import { runStage, type StageContext } from './test/run-stage.ts';
import type { Stage } from './test/stages.ts';
import { withServers } from './test/with-servers.ts';

// `npm run security`: plays the attacks of the specs that make some (testkit/attacks.ts) on real
// servers and on the running product, and prints a table of what was made. All of them are in
// `npm test` too.

const startedAt = Date.now();
const groups = Object.entries(attackGroups) as [AttackGroup, string][];
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupted.abort());
}
const root = join(import.meta.dirname, '..', '..');
process.chdir(root);
const temp = mkdtempSync(join(tmpdir(), 'tributary-security-'));
try {
  const attacks = join(temp, 'attacks.jsonl');
  const patience = await choosePatience(process.env);
  const context: StageContext = {
    ...{ root, temp, signal: interrupted.signal, lingerMs: 15_000, write: say },
    env: {
      ...process.env,
      TRIBUTARY_TEST_PATIENCE: String(patience),
      TRIBUTARY_ATTACKS: attacks,
      NODE_COMPILE_CACHE: join(temp, 'compile-cache'),
    },
  };
  const { failures } = await withServers(context, (served) => runStage(stage(), served));
  const made = readAttacks(attacks);
  say(`\n${tableOf(made.map(({ group }) => group))}\n`);
  if (failures.length > 0) say(`\n── what failed ──\n\n${printFailures(failures)}\n`);
  const unplayed = groups.filter(([group]) => made.every((attack) => attack.group !== group));
  for (const [group] of unplayed) say(`${group}: no attack was made, which is a failure\n`);
  const weaknesses = await knownWeaknesses();
  say(`\n${sentenceOf(weaknesses)}\n`);
  if (weaknesses.outcome === 'found') say(`${weaknesses.text}\n`);
  const failed = [
    failures.length,
    unplayed.length,
    weaknesses.outcome === 'found' ? 1 : 0,
    interrupted.signal.aborted ? 1 : 0,
  ].reduce((sum, count) => sum + count);
  say(`${((Date.now() - startedAt) / 1000).toFixed(0)} s\n`);
  say(`${made.length} attacks and checks held, ${failed} failures\n`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  rmSync(temp, { recursive: true, force: true, maxRetries: 5 });
}

function sentenceOf({ outcome }: KnownWeaknesses): string {
  if (outcome === 'none') return 'packages: the registry knows of no high or critical weakness';
  if (outcome === 'found') return 'packages: the registry knows of weaknesses, which is a failure';
  return 'packages: NOT CHECKED, as the registry does not answer `pnpm audit --prod`';
}

function stage(): Stage {
  return {
    ...{ name: 'security', kind: 'mocha', limitMinutes: 25, timeoutMs: 300_000, lanes: 2 },
    sharedServers: true,
    chunks: async () => {
      const files = await attackingSpecs();
      const onOneSystem = files.filter((file) => file.startsWith('test-e2e/'));
      const others = files.filter((file) => !file.startsWith('test-e2e/'));
      return [onOneSystem, ...others.map((file) => [file])]
        .filter((chunk) => chunk.length > 0)
        .map((chunk) => ({ files: chunk }));
    },
  };
}

async function attackingSpecs(): Promise<string[]> {
  const found: string[] = [];
  const exclude = (name: string) => name.split('/').at(-1) === 'node_modules';
  for await (const file of glob('{packages,services,deploy,test-*}/**/*.spec.ts', { exclude })) {
    const text = await readFile(file, 'utf8');
    if (text.includes('@tributary/testkit/attacks') && !file.includes('.long.')) found.push(file);
  }
  return found.sort();
}

function tableOf(made: readonly AttackGroup[]): string {
  const rows = groups.map(([group, what]) => {
    const count = made.filter((one) => one === group).length;
    return [group, String(count), what] as const;
  });
  const width = Math.max(...rows.map(([group]) => group.length));
  return [
    `${'attacked'.padEnd(width)}  held  by`,
    ...rows.map(([group, count, what]) => `${group.padEnd(width)}  ${count.padStart(4)}  ${what}`),
  ].join('\n');
}

function say(text: string): void {
  process.stdout.write(text);
}

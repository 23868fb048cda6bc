import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { readTestSeed } from '@tributary/testkit/test-seed';
import { stages, type Stage } from './stages.ts';

export type TestOptions = {
  chosen: readonly Stage[];
  long: boolean;
  seed: number;
  noteDurations: boolean;
  changed: boolean;
};

/**
 * `--only unit,types` runs some stages; `--long` asks tests for longer loads and soaks, and for
 * random cases that no run had before, unless TRIBUTARY_TEST_SEED names the seed; `--changed`
 * leaves out the specs that no difference from main can reach; `--note-durations` keeps what the
 * files took, by which later runs order them (durations.ts).
 */
export function readOptions(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): TestOptions | { mistake: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        long: { type: 'boolean', default: false },
        changed: { type: 'boolean', default: false },
        'note-durations': { type: 'boolean', default: false },
      },
    });
    const wanted = values.only?.split(',').map((name) => name.trim());
    const names = stages.map((stage) => stage.name);
    const unknown = wanted?.filter((name) => !names.includes(name)) ?? [];
    if (unknown.length > 0) {
      return { mistake: `no stage ${unknown.join(', ')}; there are ${names.join(', ')}` };
    }
    const chosen = stages.filter(({ name, always }) => always || (wanted?.includes(name) ?? true));
    const asked = env['TRIBUTARY_TEST_SEED'] ?? '';
    const seed = values.long && asked === '' ? randomInt(2 ** 31) : readTestSeed(asked);
    const { changed, 'note-durations': noteDurations } = values;
    return { chosen, long: values.long, seed, noteDurations, changed };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}

import { parseArgs } from 'node:util';
import { stages, type Stage } from './stages.ts';

export type TestOptions = { chosen: readonly Stage[]; long: boolean };

/** `--only unit,types` runs some stages; `--long` asks tests for longer seeds and soaks. */
export function readOptions(args: readonly string[]): TestOptions | { mistake: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { only: { type: 'string' }, long: { type: 'boolean', default: false } },
    });
    const wanted = values.only?.split(',').map((name) => name.trim());
    const names = stages.map((stage) => stage.name);
    const unknown = wanted?.filter((name) => !names.includes(name)) ?? [];
    if (unknown.length > 0) {
      return { mistake: `no stage ${unknown.join(', ')}; there are ${names.join(', ')}` };
    }
    const chosen = stages.filter((stage) => wanted?.includes(stage.name) ?? true);
    return { chosen, long: values.long };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import type { ProcessContext } from '../process-context.ts';
import { findLog } from '../transfer/find-log.ts';
import { importLog } from '../transfer/import-log.ts';
import { transferring } from '../transfer/transferring.ts';

/** Asks no admin API: nothing of the deployment is running yet. */
export function addImportCommand(
  program: Command,
  context: CommandContext,
  processContext: Pick<ProcessContext, 'env' | 'cwd'>,
): void {
  commandNamed(program, 'import')
    .argument('<directory>')
    .addHelpText('after', help)
    .action(async (given: string) => {
      const log = await findLog(processContext);
      context.nameTarget(log.system);
      const directory = resolve(processContext.cwd, given);
      context.say(`Checking ${given}, then appending to ${log.nameOf('events')} and the others.`);
      const { appended, found } = await transferring(context, {
        done: 'records there',
        interrupted: 'Ended by Ctrl-C. The same command goes on.',
        work: (signal, onProgress) =>
          importLog({ log, directory, signal, onProgress, onChecked: () => undefined }),
      });
      context.print({ appended, found }, describe(appended, found));
    });
}

const help = `
Sums are checked first. It is refused while services run or when topics hold anything else; killed in
the middle, the same command goes on. Missing topics are made. Start the services afterwards.
The log is found by the variables of the services (TRIBUTARY_KAFKA_BROKERS, TRIBUTARY_TOPIC_PREFIX and
so on), else it is that of the system which \`npm start\` started in this directory
(or in TRIBUTARY_LOCAL_STATE_DIR).`;

function describe(appended: number, found: number): string {
  if (appended === 0) return `All ${found} records were there already. Start the services.`;
  const before = found === 0 ? '' : `; ${found} were there from an import that was ended early`;
  return `${appended} records appended${before}. Start the services.`;
}

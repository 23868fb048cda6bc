import { resolve } from 'node:path';
import type { Command } from 'commander';
import { commandNamed } from './command-named.ts';
import type { CommandContext } from '../command-context.ts';
import { table } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';
import { exportLog } from '../transfer/export-log.ts';
import { findLog } from '../transfer/find-log.ts';
import type { Manifest } from '../transfer/manifest.ts';
import { transferring } from '../transfer/transferring.ts';
import { notEmpty } from './by-whom.ts';

type Flags = { out: string; people?: true };

/** Asks no admin API: it reads the log itself, also when nothing else of the deployment is left. */
export function addExportCommand(
  program: Command,
  context: CommandContext,
  processContext: Pick<ProcessContext, 'env' | 'cwd'>,
): void {
  commandNamed(program, 'export')
    .requiredOption('--out <directory>', 'where to; it appears when it is whole', notEmpty)
    .option('--people', "with e-mails and names of people; else they stay in this deployment's log")
    .addHelpText('after', help)
    .action(async ({ out, people }: Flags) => {
      const log = await findLog(processContext);
      const directory = resolve(processContext.cwd, out);
      const work = (signal: AbortSignal, progress: (done: number, left: number) => void) =>
        exportLog({
          ...{ log, directory, people: people === true, signal, onProgress: progress },
          now: () => new Date(),
        });
      const manifest = await transferring(context, {
        ...{ done: 'records exported', work },
        interrupted: `Ended by Ctrl-C: ${out} was not written.`,
      });
      context.print({ directory, ...manifest }, describe(out, manifest));
    });
}

const help = `
The log is found by the variables of the services (TRIBUTARY_KAFKA_BROKERS, TRIBUTARY_TOPIC_PREFIX and
so on), else it is that of the system which \`npm start\` started in this directory
(or in TRIBUTARY_LOCAL_STATE_DIR).
Secrets in it are sealed: a deployment that imports it needs the same keys (docs/runbooks/move.md).`;

function describe(out: string, { topics, groupsAtWork }: Manifest): string {
  const rows = topics.map(({ topic, records, bytes, file }) => ({ topic, records, bytes, file }));
  const running =
    groupsAtWork.length === 0
      ? []
      : [
          'The deployment was at work: what it grants and sends from now on is not in here, and a',
          'deployment that imports this would grant and send it too. To move, stop it first.',
        ];
  return [
    `Exported to ${out}`,
    table(['topic', 'records', 'bytes', 'file'], rows).replaceAll(/^/gm, '  '),
    ...running,
  ].join('\n');
}

import { type Topic, topics } from '@tributary/contracts/topics';
import {
  findTopicMistakes,
  listTopics,
  readPartitionCounts,
  topicSpecs,
} from '@tributary/event-log/topic-admin';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { ShownFailure } from '../failures.ts';
import { printable, table } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';
import { findLog, wantedPartitions } from '../transfer/find-log.ts';
import { commandNamed } from './command-named.ts';
import { notEmpty } from './by-whom.ts';

/** Asks the brokers, and no admin API: topics are looked at before there is a deployment, too. */
export function addTopicsCommands(
  program: Command,
  context: CommandContext,
  processContext: Pick<ProcessContext, 'env' | 'cwd'>,
): void {
  commandNamed(program, 'topics')
    .command('check')
    .description('what differs at the brokers from what this deployment wants of its topics')
    .option('--partitions <counts>', 'wanted, such as 24 or events=48,rewards=24', notEmpty)
    .addHelpText('after', help)
    .action(async ({ partitions }: { partitions?: string }) => {
      const log = await findLog(processContext);
      const wanted =
        partitions === undefined
          ? log.wiring.partitions
          : wantedPartitions(partitions, '--partitions');
      const present = log.ownAmong(await listTopics(log.kafka));
      const names = Object.keys(topics) as Topic[];
      const looked = names.flatMap((topic) => {
        const generations = present.filter((name) => log.topicOf(name) === topic).sort();
        const [spec] = topicSpecs({ ...log.wiring, partitions: wanted }, [topic]);
        // Those of the first generation are gone where a later one has taken over.
        return (generations.length > 0 ? generations : [spec!.topic]).map((name) => ({
          topic,
          spec: { ...spec!, topic: name },
        }));
      });
      const specs = looked.map(({ spec }) => spec);
      const found = await readPartitionCounts(
        log.kafka,
        specs.map((spec) => spec.topic),
      );
      const rows = looked.map(({ topic, spec }) => ({
        topic: spec.topic,
        partitions: found.get(spec.topic) ?? 0,
        wanted: wanted[topic],
        'may grow': 'fixed' in topics[topic] ? 'no' : 'yes',
      }));
      const differences = [
        ...(await findTopicMistakes({ kafka: log.kafka, topics: specs })),
        ...looked.flatMap(({ topic }, n) => differenceOf(topic, rows[n]!)),
      ];
      context.print({ topics: rows, differences }, describe(rows, differences));
      if (differences.length > 0) throw new ShownFailure();
    });
}

const help = `
The log is found as by \`tributary export\`. Without --partitions the wanted numbers are those of
TRIBUTARY_TOPIC_PARTITIONS, as for the job that makes the topics, else its defaults.
How to raise them: docs/runbooks/partitions.md.`;

type Row = { topic: string; partitions: number; wanted: number; 'may grow': string };

/** One that is missing is told already. */
function differenceOf(topic: Topic, { topic: name, partitions, wanted }: Row): string[] {
  if (partitions === 0 || partitions === wanted) return [];
  const has = `topic ${name}: ${wanted} partitions wanted, found ${partitions}`;
  if (partitions > wanted) return [`${has}; Kafka takes none away`];
  return [
    'fixed' in topics[topic]
      ? `${has}; it must not be given more (docs/runbooks/partitions.md): want ${topic}=${partitions}`
      : `${has}; add them with Kafka's own tools (docs/runbooks/partitions.md)`,
  ];
}

function describe(rows: readonly Row[], differences: readonly string[]): string {
  return [
    table(['topic', 'partitions', 'wanted', 'may grow'], rows),
    ...(differences.length === 0
      ? ['The topics are as they should be.']
      : differences.map(printable)),
  ].join('\n');
}

import type { ProcessorRecord } from '@tributary/contracts/processor-record';
import { createAppender } from '@tributary/event-log/appender';
import { silentLogger } from '@tributary/event-log/testing';
import { eventually } from '@tributary/testkit/eventually';
import { entryOf } from '../../services/processor-events/src/log/append-records.ts';
import type { Connection } from '../../test-faults/processor/connections.ts';
import { createWorld, type Processor, type World } from '../../test-faults/processor/world.ts';
import type { BenchServers } from '../pipeline/servers.ts';

/** The servers of the run, and what is told to each part of it. */
export type Run = {
  servers: BenchServers;
  progress: (line: string) => void;
  cpuProfiles: string | undefined;
};

/** A database and topics of its own for one part; metadata counts for as long as the part takes. */
export async function openWorld(
  { servers, cpuProfiles }: Run,
  name: string,
  connections: readonly Connection[],
): Promise<World> {
  const postgresUrl = await servers.createDatabase(name);
  const profile = `--cpu-prof --cpu-prof-dir=${cpuProfiles}`;
  return createWorld({
    connections,
    servers: { kafkaBrokers: servers.kafkaBrokers, postgresUrl },
    variables: {
      TRIBUTARY_LOG_LEVEL: 'warn',
      TRIBUTARY_PROCESSOR_METADATA_TTL_SECONDS: '86400',
      // The fake has no limits, and its speed is not to be measured.
      TRIBUTARY_STRIPE_LIMIT_PERCENT: '1000',
      ...(cpuProfiles === undefined ? {} : { NODE_OPTIONS: profile }),
    },
  });
}

/** As production stops it, which writes the profile. */
export async function stopped(one: Processor): Promise<void> {
  one.signal('SIGTERM');
  await one.exited;
}

export async function appendAll(
  { topics }: World,
  records: readonly ProcessorRecord[],
): Promise<void> {
  const appender = createAppender({ kafka: topics.kafka, logger: silentLogger });
  await appender.start();
  const topic = topics.nameOf('processor');
  for (let from = 0; from < records.length; from += chunk) {
    const entries = records.slice(from, from + chunk).map((record) => entryOf(topic, record));
    await eventually(() => appender.append(entries));
  }
  await appender.stop();
}

const chunk = 2_000;

import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { type Appender, createAppender } from '../appender.ts';
import type { KafkaConnection } from '../kafka.ts';
import { silentLogger } from '../testing.ts';

/**
 * For what a test puts on the log itself; it is started. Brokers that were silent for some seconds
 * are gone for an appender, which refuses at once then, and on a slow machine they are silent now
 * and then. This one asks again: what was refused so was not sent.
 */
export async function startPatientAppender(kafka: KafkaConnection): Promise<Appender> {
  const appender = createAppender({
    ...{ kafka, logger: silentLogger },
    deadlineMs: patiently(30_000),
  });
  await appender.start();
  return {
    ...appender,
    append: (entries) => eventually(() => appender.append(entries), { deadlineMs: 60_000 }),
  };
}

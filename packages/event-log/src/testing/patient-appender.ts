import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { type Appender, AppendRefused, createAppender } from '../appender.ts';
import type { KafkaConnection } from '../kafka.ts';
import { silentLogger } from '../testing.ts';

/**
 * For what a test puts on the log itself; it is started. Brokers that were silent for some seconds
 * are gone for an appender, which refuses at once then, and on a slow machine they are silent now
 * and then. This one asks again, so the log may hold a record twice, as with any writer of ours.
 */
export async function startPatientAppender(kafka: KafkaConnection): Promise<Appender> {
  const appender = createAppender({
    ...{ kafka, logger: silentLogger },
    deadlineMs: patiently(30_000),
  });
  await appender.start();
  return {
    ...appender,
    async append(entries) {
      const attempt = await eventually(() => appender.append(entries).catch(refusedForNow), {
        deadlineMs: 30_000,
      });
      if (attempt instanceof Error) throw attempt;
      return attempt;
    },
  };
}

/** Thrown on where another try may help, else given. */
function refusedForNow(error: unknown): Error {
  if (error instanceof AppendRefused) throw error;
  return error instanceof Error ? error : new Error('the append failed', { cause: error });
}

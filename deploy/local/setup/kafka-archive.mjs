import { existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cache, checkout } from './places.mjs';
import { runLogged, step } from './step.mjs';

// Kafka's classes as this machine's Java has loaded them once (class data sharing): with them Kafka
// starts in half the time. An archive of another Java is passed over by the JVM, so one that is
// older than the Java there is made anew.
const archive = join(cache, 'kafka-4.1.1', 'classes.jsa');

export function kafkaArchiveIsThere() {
  const java = findJava();
  if (java === undefined || !existsSync(archive)) return false;
  return statSync(archive).mtimeMs >= statSync(java).ctimeMs;
}

/** Where it cannot be made, Kafka starts without it; what there was to say is in the log. */
export async function makeKafkaArchive(node, env) {
  const script = join(checkout, 'deploy', 'local', 'kafka', 'make-archive.ts');
  await step('an archive of Kafka’s classes, for quicker starts', () =>
    runLogged('kafka-archive', node, [script, archive], { env }).catch(() => undefined),
  );
}

function findJava() {
  const home = process.env.JAVA_HOME;
  const places = home ? [join(home, 'bin')] : (process.env.PATH ?? '').split(delimiter);
  const java = places.map((dir) => join(dir, 'java')).find((file) => existsSync(file));
  return java === undefined ? undefined : realpathSync(java);
}

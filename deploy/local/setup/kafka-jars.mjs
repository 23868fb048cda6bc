import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache, checkout } from './places.mjs';
import { runLogged, SetUpError, step } from './step.mjs';

const version = '4.1.1';
const recipe = join(checkout, 'deploy', 'local', 'kafka');
const home = join(cache, `kafka-${version}`);
const libs = join(home, 'libs');
const stamp = join(home, 'verified');

/** True when the cache holds jars that were verified against the list of this checkout. */
export function kafkaIsThere() {
  return existsSync(stamp) && existsSync(libs) && readFileSync(stamp, 'utf8') === listDigest();
}

export async function fetchKafka() {
  await step(`Kafka ${version} from Maven Central`, async () => {
    const unfinished = join(home, 'libs.new');
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await runLogged('maven', 'mvn', [
      ...['-B', '-ntp', '-f', join(recipe, 'pom.xml')],
      ...['dependency:copy-dependencies', `-DoutputDirectory=${unfinished}`],
    ]);
    verify(unfinished);
    rmSync(libs, { recursive: true, force: true });
    renameSync(unfinished, libs);
    writeFileSync(stamp, listDigest());
  });
}

/** Every jar of the list, with its digest, and no other. */
function verify(dir) {
  const expected = new Map(
    readFileSync(join(recipe, 'SHA256SUMS'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).reverse()),
  );
  const problems = [];
  for (const jar of readdirSync(dir)) {
    if (!expected.has(jar)) problems.push(`${jar} is not on the list`);
    else if (expected.get(jar) !== sha256(join(dir, jar))) problems.push(`${jar} differs`);
    expected.delete(jar);
  }
  for (const jar of expected.keys()) problems.push(`${jar} is missing`);
  if (problems.length === 0) return;
  throw new SetUpError(
    `Kafka's jars are not those of deploy/local/kafka/SHA256SUMS: ${problems.join(', ')}`,
  );
}

function listDigest() {
  return sha256(join(recipe, 'SHA256SUMS'));
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

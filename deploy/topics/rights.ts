import { parseArgs } from 'node:util';
import { createKafka } from '../../packages/event-log/src/kafka.ts';
import { parseConfig } from '../../packages/runtime/src/config.ts';
import { createLogger } from '../../packages/runtime/src/logger.ts';
import { kafkaSettings } from '../../packages/runtime/src/variables.ts';
import { applyRights, checkRights, type Naming, usersOf } from './apply-rights.ts';
import { TopicsConfig } from './config.ts';
import { commandsOf, describeReport, isAsWanted, sumOf } from './describe-rights.ts';
import { ensurePasswordFile } from './password-file.ts';

/**
 * Users and permissions of the services on brokers that somebody else runs: checks them, makes them
 * those of the table (packages/contracts/src/topic-rights.ts), or prints the commands that do. The
 * brokers are found by the variables that the services have, as somebody who may alter the cluster.
 */
const usage = `Usage: node deploy/topics/rights.ts --check | --apply | --print [options]

  --check             says who lacks or has too much; exit code 1 when anybody does
  --apply             makes users and permissions those of the table
  --print             prints the commands of Kafka that do so, and asks no broker

  --prune             with --apply, also takes away what its users may do besides: with groups, and
                      with topics that the table names otherwise or of another prefix
  --users <prefix>    put before the name of each service, default ${usersOf('<prefix of topics>')}
  --passwords <file>  gives the users the passwords in it, a JSON object by service; makes the file
                      when there is none; without it no password is changed
  --mechanism <name>  of these passwords: scram-sha-512 (default) or scram-sha-256

The brokers: TRIBUTARY_KAFKA_BROKERS, TRIBUTARY_KAFKA_TLS…, TRIBUTARY_KAFKA_SASL_…;
the prefix of the topics: TRIBUTARY_TOPIC_PREFIX.`;

const { values } = parseArgs({
  options: {
    check: { type: 'boolean' },
    apply: { type: 'boolean' },
    print: { type: 'boolean' },
    prune: { type: 'boolean', default: false },
    users: { type: 'string' },
    passwords: { type: 'string' },
    mechanism: { type: 'string', default: 'scram-sha-512' },
    help: { type: 'boolean' },
  },
});

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function run(): Promise<number> {
  const { check, apply, print, mechanism } = values;
  const asked = [check, apply, print].filter(Boolean).length;
  if (values.help || asked !== 1) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  if (mechanism !== 'scram-sha-512' && mechanism !== 'scram-sha-256') throw new Error(usage);
  const topics = process.env['TRIBUTARY_TOPIC_PREFIX'] ?? '';
  const naming: Naming = { users: values.users ?? usersOf(topics), topics };
  if (print) {
    console.log(commandsOf(naming, mechanism).join('\n'));
    return 0;
  }
  const kafka = connect();
  if (apply) {
    const of = values.passwords === undefined ? {} : ensurePasswordFile(values.passwords);
    const found = await applyRights(kafka, naming, { mechanism, of }, { prune: values.prune });
    console.log(describeReport(found, 'apply').join('\n') || sumOf(naming));
    return found.usersMissing.length > 0 ? 1 : 0;
  }
  const report = await checkRights(kafka, naming);
  console.log(describeReport(report, 'check').join('\n') || sumOf(naming));
  return isAsWanted(report) ? 0 : 1;
}

function connect() {
  // The shell of an operator may hold variables of other programs, too.
  const own = Object.keys(TopicsConfig.properties).map((name) => [name, process.env[name]]);
  const read = parseConfig(TopicsConfig, Object.fromEntries(own) as NodeJS.ProcessEnv);
  if ('mistakes' in read) throw new Error(read.mistakes.join('\n'));
  const logger = createLogger({ service: 'rights', level: 'silent' });
  return createKafka({ settings: kafkaSettings(read.config), clientId: 'rights', logger });
}

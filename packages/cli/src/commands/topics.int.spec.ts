import { topics } from '@tributary/contracts/topics';
import { addPartitions } from '@tributary/event-log/topic-admin';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { runTributary } from '../run-tributary.ts';
import { createLogWorld, type LogWorld } from '../testing/log-world.ts';

describe('tributary topics check', function () {
  this.timeout(60_000);
  let log: LogWorld;
  before(async () => {
    log = await createLogWorld();
  });

  async function check(argv: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const printed = { out: '', err: '' };
    const code = await runTributary({
      argv: ['topics', 'check', ...argv],
      ...{ env: { ...log.env, ...env }, cwd: '/' },
      input: (async function* () {})(),
      out: (text) => void (printed.out += `${text}\n`),
      err: (text) => void (printed.err += `${text}\n`),
    });
    return { code, ...printed };
  }

  it('finds nothing where all is as it is wanted, by a flag or by the variable of the job', async () => {
    for (const [argv, env] of [
      [['--partitions', '12'], {}],
      [[], { TRIBUTARY_TOPIC_PARTITIONS: '12' }],
    ] as const) {
      const { code, out, err } = await check(argv, env);
      expect(code, err).to.equal(0);
      expect(out.replaceAll(/ +/g, ' ')).to.contain(`${topics.events.name} 12 12 yes\n`);
      expect(out).to.contain('The topics are as they should be.');
    }
  });

  it('tells which may be given more, and which must not', async () => {
    const { code, out } = await check(['--partitions', 'events=24,people=24,catalog=12', '--json']);
    expect(code).to.equal(1);
    const { differences } = JSON.parse(out) as { differences: string[] };
    const of = (name: string) => differences.filter((line) => line.includes(`${name}:`)).join();
    expect(of(topics.events.name)).to.match(/24 partitions wanted, found 12; add them/);
    expect(of(topics.people.name)).to.match(/it must not be given more .*want people=12$/);
    expect(of(topics.catalog.name)).to.equal('');
  });

  it('tells that there are more than wanted, which nothing takes back', async () => {
    await addPartitions(log.kafka, log.nameOf('codes'), 15);
    await eventually(async () => {
      const { code, out } = await check(['--partitions', '12']);
      expect(code).to.equal(1);
      expect(out).to.contain(
        `${topics.codes.name}: 12 partitions wanted, found 15; Kafka takes none away`,
      );
    });
  });

  it('refuses a number that is none before it asks anybody', async () => {
    const { code, err } = await check(['--partitions', 'event=12']);
    expect(code).to.equal(2);
    expect(err).to.contain('"event" is no topic; topics are events, people,');
  });
});

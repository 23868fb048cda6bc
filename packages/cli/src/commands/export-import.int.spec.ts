import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventCodec } from '@tributary/contracts/event-record';
import type { Topic } from '@tributary/contracts/topics';
import { createSupervisedConsumer } from '@tributary/event-log/supervised-consumer';
import { silentLogger } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { runTributary } from '../run-tributary.ts';
import type { ProcessContext } from '../process-context.ts';
import { createLogWorld, type LogWorld, type Written } from '../testing/log-world.ts';
import type { Manifest } from '../transfer/manifest.ts';

describe('tributary export and import', function () {
  this.timeout(120_000);
  let from: LogWorld;
  let cwd: string;
  let manifest: Manifest;
  before(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'tributary-transfer-'));
    from = await createLogWorld();
    await from.write('events', [...events(3_000), ...odd]);
    await from.write('catalog', records(40));
    await from.write('codes', records(60));
    await from.write('issuances', records(50));
    await from.write('deliveries', records(70));
    await from.write('processor', records(30));
    await from.write('people', [...records(20), { partition: 4, key: 'acme:gone', value: null }]);
    const { code, err, out } = await run(from, ['export', '--out', 'whole', '--json']);
    expect(code, err).to.equal(0);
    manifest = JSON.parse(out) as Manifest;
  });
  after(() => rm(cwd, { recursive: true, force: true }));

  async function run(at: LogWorld, argv: string[], more: Partial<ProcessContext> = {}) {
    const printed = { out: '', err: '' };
    const code = await runTributary({
      ...{ argv, env: at.env, cwd },
      input: (async function* () {})(),
      out: (text) => void (printed.out += `${text}\n`),
      err: (text) => void (printed.err += `${text}\n`),
      ...more,
    });
    return { code, ...printed };
  }

  async function expectEqual(to: LogWorld, topics: readonly Topic[] = transferred) {
    for (const topic of topics) {
      expect(await to.read(topic), topic).to.deep.equal(await from.read(topic));
    }
  }

  async function countOf(at: LogWorld, topic: Topic): Promise<number> {
    const ends = await readWatermarks(at.kafka, [at.nameOf(topic)]);
    return [...ends.values()].reduce((sum, { high }) => sum + Number(high), 0);
  }

  describe('an export', () => {
    it('has a manifest with the sum, the number of records and the offsets of each file', async () => {
      expect(manifest.topics.map(({ topic, records }) => [topic, records])).to.deep.equal([
        ...[
          ['deliveries', 70],
          ['issuances', 50],
          ['catalog', 40],
          ['codes', 60],
        ],
        ...[
          ['events', 3_000 + odd.length],
          ['processor', 30],
        ],
      ]);
      for (const { file, sha256, bytes, partitions, records } of manifest.topics) {
        const content = await readFile(join(cwd, 'whole', file));
        expect(createHash('sha256').update(content).digest('hex')).to.equal(sha256);
        expect(content.length).to.equal(bytes);
        expect(partitions.reduce((sum, { to }) => sum + Number(to), 0)).to.equal(records);
      }
    });

    it('leaves people out unless they are asked for, and is for its owner alone', async () => {
      expect(await readdir(join(cwd, 'whole'))).to.not.include('people.ndjson.gz');
      expect((await run(from, ['export', '--out', 'people', '--people'])).code).to.equal(0);
      expect(await readdir(join(cwd, 'people'))).to.include('people.ndjson.gz');
      expect((await stat(join(cwd, 'people'))).mode & 0o777).to.equal(0o700);
      expect((await stat(join(cwd, 'people/people.ndjson.gz'))).mode & 0o777).to.equal(0o600);
    });

    it('refuses a directory that holds something, and a deployment that is not there', async () => {
      const taken = await run(from, ['export', '--out', 'whole']);
      expect([taken.code, taken.err]).to.deep.equal([
        ...[1, `${join(cwd, 'whole')} is there already, and not empty.\n`],
      ]);
      const nobody = await createLogWorld({ make: false });
      const missing = await run(nobody, ['export', '--out', 'nothing']);
      expect(missing.err).to.contain('There is no such deployment: no topic');
      expect((await run(from, ['export'])).code).to.equal(2);
    });

    it('ended by Ctrl-C leaves nothing, and a draft of one that was killed is written anew', async () => {
      const ended = await run(from, ['export', '--out', 'ended'], {
        onInterrupt(listener) {
          listener();
          return () => undefined;
        },
      });
      expect([ended.code, ended.err]).to.deep.equal([
        ...[1, 'Ended by Ctrl-C: ended was not written.\n'],
      ]);
      await mkdir(join(cwd, 'ended.draft'));
      await writeFile(join(cwd, 'ended.draft/events.ndjson.gz'), 'half');
      expect((await run(from, ['export', '--out', 'ended'])).code).to.equal(0);
      expect(await readdir(cwd))
        .to.include('ended')
        .and.not.include('ended.draft');
      const sums = async (name: string) => {
        const text = await readFile(join(cwd, name, 'manifest.json'), 'utf8');
        return (JSON.parse(text) as Manifest).topics.map(({ records }) => records);
      };
      expect(await sums('ended')).to.deep.equal(await sums('whole'));
    });

    it('says when the deployment was at work meanwhile', async () => {
      const group = await joinGroup(from, 'rewards');
      const { out } = await run(from, ['export', '--out', 'at-work']);
      await group.stop();
      expect(out).to.contain('The deployment was at work');
    });
  });

  describe('an import', () => {
    it('gives every partition its records back to the byte and in order, and makes the topics', async () => {
      const to = await createLogWorld({ make: false });
      const { code, out, err } = await run(to, ['import', 'people']);
      expect(code, err).to.equal(0);
      expect(out).to.contain(`${3_000 + odd.length + 271} records appended. Start the services.`);
      await expectEqual(to, [...transferred, 'people']);
    });

    it('killed in the middle, goes on where it was, and a third time finds all there', async () => {
      const to = await createLogWorld();
      await killInTheMiddle(to);
      const half = await countOf(to, 'events');
      expect(half).to.be.below(3_000 + odd.length);
      const again = await run(to, ['import', 'whole']);
      expect(again.code, again.err).to.equal(0);
      expect(again.out).to.match(/\d+ records appended; \d+ were there from an import/);
      await expectEqual(to);
      const third = await run(to, ['import', 'whole']);
      expect(third.out).to.match(/All \d+ records were there already/);
      await expectEqual(to);
    });

    /** A process of its own, which is killed when some records of the second topic are there. */
    async function killInTheMiddle(to: LogWorld): Promise<void> {
      const main = fileURLToPath(new URL('../main.ts', import.meta.url));
      const child = fork(main, ['import', 'whole'], { cwd, env: to.env, stdio: 'ignore' });
      const exited = once(child, 'exit');
      await eventually(async () => expect(await countOf(to, 'issuances')).to.be.above(0), {
        everyMs: 1,
        deadlineMs: 30_000,
      });
      child.kill('SIGKILL');
      await exited;
    }

    it('spreads by key over topics with more partitions, and can be gone on with there too', async () => {
      const to = await createLogWorld({ partitions: 13 });
      await killInTheMiddle(to);
      const { code, err } = await run(to, ['import', 'whole']);
      expect(code, err).to.equal(0);
      expect(err).to.match(
        /^System: Kafka at .*, topics .*referral\.\* \(from TRIBUTARY_KAFKA_BROKERS\)\n$/,
      );
      const flat = async (at: LogWorld) =>
        Object.values(await at.read('events'))
          .flat()
          .sort();
      expect(await flat(to)).to.deep.equal(await flat(from));
    });

    it('takes an export of a release that had no payment processor', async () => {
      await run(from, ['export', '--out', 'older']);
      const path = join(cwd, 'older/manifest.json');
      const older = JSON.parse(await readFile(path, 'utf8')) as Manifest;
      older.topics = older.topics.filter(({ topic }) => topic !== 'processor');
      await writeFile(path, JSON.stringify(older));
      await rm(join(cwd, 'older/processor.ndjson.gz'));
      const to = await createLogWorld({ make: false });
      const { code, err } = await run(to, ['import', 'older']);
      expect(code, err).to.equal(0);
      const others = transferred.filter((topic) => topic !== 'processor');
      await expectEqual(to, others);
      expect(await countOf(to, 'processor')).to.equal(0);
    });

    it('refuses a deployment whose services run', async () => {
      const to = await createLogWorld();
      const group = await joinGroup(to, 'attribution');
      const refused = await run(to, ['import', 'whole']);
      await group.stop();
      expect(refused.code).to.equal(1);
      expect(refused.err).to.contain(`are running (consumer groups ${to.prefix}attribution)`);
      expect(await countOf(to, 'deliveries')).to.equal(0);
    });

    it('refuses topics with other records, whether it would write there or not', async () => {
      for (const topic of ['attributions', 'deadLetters', 'events', 'deliveries'] as const) {
        const to = await createLogWorld();
        await to.write(topic, [{ partition: 0, key: 'acme:other', value: '{}' }]);
        const { code, err } = await run(to, ['import', 'whole']);
        expect(code, topic).to.equal(1);
        expect(err).to.contain(to.nameOf(topic)).and.contain('empty deployment only');
        for (const other of transferred.slice(0, transferred.indexOf(topic as 'events'))) {
          if (topic !== 'events') expect(await countOf(to, other), other).to.equal(0);
        }
      }
    });

    it('refuses an export that is damaged, cut off, unfinished or of a newer version', async () => {
      const to = await createLogWorld();
      await run(from, ['export', '--out', 'spoilt']);
      const [events, manifestJson] = ['events.ndjson.gz', 'manifest.json'].map((name) =>
        join(cwd, 'spoilt', name),
      ) as [string, string];
      const [bytes, text] = [await readFile(events), await readFile(manifestJson, 'utf8')];
      const says = async () => {
        const { code, err } = await run(to, ['import', 'spoilt']);
        expect(code).to.equal(1);
        return err;
      };
      const flipped = Buffer.from(bytes);
      flipped[flipped.length >> 1]! ^= 1;
      await writeFile(events, flipped);
      expect(await says()).to.contain('is damaged: its SHA-256');
      await writeFile(events, bytes.subarray(0, -10));
      expect(await says()).to.contain('the manifest says');
      await rm(events);
      expect(await says()).to.contain('events.ndjson.gz is missing');
      await writeFile(events, bytes);
      const newer = eventCodec.schemaVersion + 1;
      const changed = JSON.parse(text) as Manifest;
      const ofEvents = changed.topics.find(({ topic }) => topic === 'events')!;
      ofEvents.schemaVersions[String(newer)] = 1;
      await writeFile(manifestJson, JSON.stringify(changed));
      expect(await says()).to.contain(`Events has records of schema version ${newer}`);
      await rm(manifestJson);
      expect(await says()).to.contain('is no export: it has no manifest.json');
      expect(await countOf(to, 'events')).to.equal(0);
    });
  });

  /** As a service reads: a member of a group that is not this program's own. */
  async function joinGroup(at: LogWorld, group: string) {
    let joined = false;
    const consumer = createSupervisedConsumer({
      ...{ kafka: at.kafka, logger: silentLogger, groupId: `${at.prefix}${group}` },
      topics: [at.nameOf('events')],
      onAssigned: () => (joined = true),
      onBatch: () => Promise.resolve(),
    });
    consumer.start();
    await eventually(() => expect(joined).to.equal(true), { deadlineMs: 30_000 });
    return consumer;
  }
});

const transferred = [
  ...(['deliveries', 'issuances', 'catalog', 'codes', 'events', 'processor'] as const),
];

function records(count: number): Written[] {
  return Array.from({ length: count }, (_, n) => ({
    partition: n % 12,
    key: `acme:user-${n}`,
    value: JSON.stringify({ schemaVersion: 1, n }),
  }));
}

/** Large enough that they are more than one batch. */
function events(count: number): Written[] {
  return Array.from({ length: count }, (_, n) => ({
    partition: (n * 7) % 12,
    key: `acme:user-${n % 200}`,
    value: JSON.stringify({ schemaVersion: 1, n, text: 'x'.repeat(600) }),
  }));
}

/** What no writer of ours writes, and what line readers and JSON stumble over. */
const odd: Written[] = [
  { partition: 0, key: 'acme:\u2028line\u2029', value: 'a\u2028b\u2029c\r\nd\ne\u0000' },
  { partition: 0, key: null, value: 'without a key' },
  { partition: 1, key: 'acme:bytes', value: Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0xc3]) },
  { partition: 1, key: 'acme:empty', value: '' },
  { partition: 1, key: 'acme:tombstone', value: null },
  { partition: 2, key: 'acme:bom', value: '\ufeff{"schemaVersion":1}' },
  { partition: 2, key: '', value: '{"schemaVersion":"one"}' },
];

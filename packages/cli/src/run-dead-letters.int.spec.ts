import { deadLetterCodec, deadLetterItemId } from '@tributary/contracts/dead-letter-record';
import { codecOfTopic } from '@tributary/contracts/codec-of-topic';
import { derivedId } from '@tributary/contracts/derived-id';
import type { Codec } from '@tributary/contracts/record';
import { type Topic, topicName, topicSettings } from '@tributary/contracts/topics';
import { type Appender, createAppender } from '@tributary/event-log/appender';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { partitionOf } from '@tributary/event-log/partitioner';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { connectTo, replaceTopicSettings, silentLogger } from '@tributary/event-log/testing';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { runTributary } from './run-tributary.ts';
import {
  createPortalHome,
  type PortalHome,
  type PortalProcess,
  startPortalProcess,
} from './testing/portal-process.ts';

/**
 * Redriving against portals that are processes: two of them at once, and one that is killed between
 * the append of the record and that of the action.
 */
describe('tributary dead-letters (command line against portals)', function () {
  this.timeout(120_000);
  let home: PortalHome;
  let kafka: KafkaConnection;
  let appender: Appender;
  const running = new Set<PortalProcess>();
  const nameOf = (topic: Topic) => topicName(topic, { prefix: home.prefix, generation: 1 });

  before(async () => {
    home = await createPortalHome();
    kafka = connectTo(home.kafkaBrokers);
    appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });
  afterEach(async () => {
    for (const portal of running) await portal.stop();
    running.clear();
  });
  after(async () => {
    await appender?.stop();
    await home?.end();
  });

  async function startPortal(): Promise<PortalProcess> {
    const portal = await startPortalProcess(home);
    running.add(portal);
    return portal;
  }

  async function run({ url, token }: PortalProcess, ...argv: string[]) {
    const printed = { out: '', err: '' };
    const code = await runTributary({
      argv: ['dead-letters', ...argv],
      env: { TRIBUTARY_ADMIN_URL: url, TRIBUTARY_ADMIN_TOKEN: token },
      cwd: '/',
      input: (async function* () {})(),
      out: (text) => void (printed.out += `${text}\n`),
      err: (text) => void (printed.err += `${text}\n`),
    });
    return { code, ...printed };
  }

  /** A sound event that an older attribution put aside, as it would have said so. */
  async function putAside(): Promise<{ itemId: string; value: string }> {
    const userId = randomUUID();
    const key = `acme:${userId}`;
    const event = {
      ...{ schemaVersion: 3, eventId: randomUUID(), tenantId: 'acme', source: 'v2' },
      ...{ receivedAt: '2026-03-01T12:00:00.000Z', occurredAt: '2026-03-01T12:00:00Z' },
      ...{ occurredAtSeconds: '1772366400', ucc: 'ada-code', newUser: { id: userId } },
      ...{ eventType: 'signup-created' },
    };
    const value = JSON.stringify(event);
    expect(codecOfTopic.events.decode(Buffer.from(value)).outcome).to.equal('record');
    await appender.append([{ topic: nameOf('events'), key, value }]);
    const [found] = (await read('events')).filter((record) => record.value === value);
    const topic = nameOf('events');
    const origin = { topic, partition: found!.partition, offset: found!.offset, key };
    expect(origin.partition).to.equal(partitionOf(topic, key, 12));
    const letter = deadLetterCodec.encode({
      ...{ schemaVersion: 2, type: 'put-aside', origin, reader: 'attribution', reason: 'schema' },
      deadLetterId: derivedId('dead-letter', 'attribution', topic, origin.partition, origin.offset),
      ...{ detail: '/: Expected union value', value: Buffer.from(value).toString('base64') },
      originTimestampMs: Date.now(),
    });
    await appender.append([{ topic: nameOf('deadLetters'), key, value: letter }]);
    return { itemId: deadLetterItemId(origin), value };
  }

  async function read(topic: Topic) {
    const found = new Map<string, { partition: number; offset: string; value: string }>();
    await scanTopic({
      kafka,
      logger: silentLogger,
      topic: nameOf(topic),
      codec: textCodec,
      onRecord: ({ partition, offset, value }) => {
        const at = { partition, offset: String(offset) };
        if (value !== null) found.set(`${partition}/${offset}`, { ...at, value });
      },
    });
    return [...found.values()];
  }

  async function copiesOf(value: string): Promise<number> {
    return (await read('events')).filter((record) => record.value === value).length;
  }
  async function redrivesOf(itemId: string): Promise<number> {
    const facts = (await read('deadLetters')).map(({ value }) => {
      const decoded = deadLetterCodec.decode(Buffer.from(value));
      return decoded.outcome === 'record' ? decoded.value : undefined;
    });
    return facts.filter(
      (fact) => fact?.type === 'redriven' && deadLetterItemId(fact.origin) === itemId,
    ).length;
  }
  const seen = (portal: PortalProcess, itemId: string, status: string) =>
    eventually(
      async () => {
        const { out, err } = await run(portal, 'show', itemId);
        expect(out, err).to.match(new RegExp(`status +${status}`));
      },
      { deadlineMs: 30_000 },
    );

  it('two operators at once append a record once, through two portals', async () => {
    const portals = [await startPortal(), await startPortal()];
    for (let round = 0; round < 3; round++) {
      const { itemId, value } = await putAside();
      for (const portal of portals) await seen(portal, itemId, 'open');
      const answers = await Promise.all(
        [...portals, ...portals].map((portal, n) =>
          run(portal, 'redrive', itemId, '--by', `operator ${n}`),
        ),
      );
      for (const { code, out, err } of answers) {
        expect(code, err).to.equal(0);
        expect(out).to.match(/status +redriven/);
      }
      // All of them are told of the same one who did it.
      const named = answers.map(({ out }) => /operator \d/.exec(out)?.[0]);
      expect(new Set(named).size).to.equal(1);
      expect([await copiesOf(value), await redrivesOf(itemId)]).to.deep.equal([2, 1]);
    }
  });

  it('one redrives while another discards: both actions are kept, and one of them holds', async () => {
    const portals = [await startPortal(), await startPortal()];
    const { itemId, value } = await putAside();
    for (const portal of portals) await seen(portal, itemId, 'open');
    const [redrive, discard] = await Promise.all([
      run(portals[0]!, 'redrive', itemId, '--by', 'a'),
      run(portals[1]!, 'discard', itemId, '--by', 'b'),
    ]);
    expect(redrive.code, redrive.err).to.equal(0);
    // Whoever comes second is told what the first one did.
    if (discard.code === 1) expect(discard.err).to.contain('It was already redriven');
    for (const portal of portals) await seen(portal, itemId, 'redriven');
    expect(await copiesOf(value)).to.equal(2);
  });

  it('a crash between the record and the action leaves it open; doing it again is harmless', async () => {
    const first = await startPortal();
    const { itemId, value } = await putAside();
    await seen(first, itemId, 'open');
    const settings = { ...topicSettings('deadLetters'), 'min.insync.replicas': '1' };
    const topic = nameOf('deadLetters');
    // Too large for its topic: the action is refused, and tried again until its time is over.
    await replaceTopicSettings(kafka, topic, { ...settings, 'max.message.bytes': '10' });
    const redrive = run(first, 'redrive', itemId, '--by', 'ops');
    await eventually(async () => expect(await copiesOf(value)).to.equal(2), { deadlineMs: 30_000 });
    await first.kill();
    running.delete(first);
    expect((await redrive).code).to.equal(1);
    await replaceTopicSettings(kafka, topic, settings);

    const next = await startPortal();
    await seen(next, itemId, 'open');
    expect(await redrivesOf(itemId)).to.equal(0);
    const again = await run(next, 'redrive', itemId, '--by', 'ops');
    expect(again.code, again.err).to.equal(0);
    await seen(next, itemId, 'redriven');
    expect([await copiesOf(value), await redrivesOf(itemId)]).to.deep.equal([3, 1]);
    // Three times on the log, and one event.
    const events = await eventOf(next, value);
    expect(events).to.equal(200);
    const all = await run(next, 'redrive', '--all', '--by', 'ops');
    expect([all.code, all.out]).to.deep.equal([0, 'There was none to be redriven.\n']);
  });

  async function eventOf({ url, token }: PortalProcess, value: string): Promise<number> {
    const { eventId } = JSON.parse(value) as { eventId: string };
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${url}/api/events/${eventId}`, { headers })).status;
  }
});

/** Takes whatever is there. */
const textCodec = {
  ...codecOfTopic.events,
  decode: (bytes: Buffer | null) =>
    bytes === null
      ? { outcome: 'tombstone' as const }
      : { outcome: 'record' as const, value: bytes.toString() },
} as unknown as Codec<string>;

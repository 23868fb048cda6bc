import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arrivals } from '@tributary/attribution-fold/testing/arbitraries';
import { purchase, revision } from '@tributary/attribution-fold/testing/records';
import type { History } from '@tributary/attribution-fold/decide-from-scratch';
import { derivedId } from '@tributary/contracts/derived-id';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { IssuanceFact } from '@tributary/contracts/issuance-record';
import { recordKey } from '@tributary/contracts/topics';
import type { Appender, Entry } from '@tributary/event-log/appender';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import fc from 'fast-check';
import { openLines } from './testing/open-lines.ts';
import { brokerName, type SpooledTopic } from './cut.ts';
import { foldHistory } from './fold-history.ts';
import { spoolHistory } from './spool-history.ts';
import { expectedState } from './testing/expected-state.ts';
import { type FoldHistory, HistoryRefused } from './types.ts';

type World = History & { issuances: readonly IssuanceFact[] };

describe('history folded from the log', () => {
  let brokers: string;
  let kafka: KafkaConnection;
  let appender: Appender;
  let dir: string;
  let prefix: string;

  before(async () => {
    brokers = (await getServers()).kafkaBrokers;
    kafka = connectTo(brokers);
    appender = await startPatientAppender(kafka);
  });
  after(() => appender.stop());
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'fold-history-'));
    prefix = uniquePrefix();
    const wiring = { prefix, generation: 1, replication: 1, minInsync: 1 };
    const specs = topicSpecs(wiring, ['events', 'codes', 'catalog', 'issuances']);
    const topics = specs.map((spec) => ({ ...spec, partitions: 3 }));
    await createTopics({ kafka, logger: silentLogger, topics });
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  function optionsOf(more: Partial<FoldHistory> = {}): FoldHistory {
    return {
      dir,
      log: { kafka: { brokers: brokers.split(',') }, prefix },
      until: {},
      signal: new AbortController().signal,
      logger: silentLogger,
      ...more,
    };
  }

  const entry = (topic: SpooledTopic, key: string, value: string): Entry => ({
    ...{ topic: brokerName(topic, prefix), key, value },
  });
  const eventEntry = (event: EventRecord) =>
    entry('events', recordKey(event.tenantId, event.newUser.id), JSON.stringify(event));

  async function append({ events, codes, revisions, tenants = [], issuances }: World) {
    const entries = [
      ...events.map(eventEntry),
      ...codes.map((code) =>
        entry('codes', recordKey(code.tenantId, code.ucc), JSON.stringify(code)),
      ),
      ...[...revisions, ...tenants].map((one) =>
        entry('catalog', one.tenantId, JSON.stringify(one)),
      ),
      ...issuances.map((fact) =>
        entry('issuances', recordKey(fact.tenantId, fact.recipientId), JSON.stringify(fact)),
      ),
    ];
    for (let i = 0; i < entries.length; i += 2_000) {
      await appender.append(entries.slice(i, i + 2_000));
    }
  }

  async function foldedLines(more: Partial<FoldHistory> = {}) {
    const folded = await foldHistory(optionsOf(more));
    const [decisions, rewards] = [
      openLines(folded.files.decisions),
      openLines(folded.files.rewards),
    ];
    return { folded, lines: { decisions: decisions.sort(), rewards: rewards.sort() } };
  }

  it('takes more memory when there is not enough for what belongs together', async () => {
    const [world] = worlds(1);
    await append(world!);
    const { lines } = await foldedLines({ heapsMb: [8, 320] });
    expect(lines).to.deep.equal(expectedState(world!));
    const error = await foldedLines({ heapsMb: [8] }).catch((reason: unknown) => reason);
    expect(error).to.have.property('message').that.includes('a process of the fold ended');
  });

  it('comes to what the definitions say, and to the same with positions that come later', async () => {
    const [first, second] = worlds(2);
    await append(first!);
    const positions = await spoolHistory(optionsOf());
    await append(second!);
    const before = await foldedLines({ until: { positions } });
    expect(before.lines).to.deep.equal(expectedState(first!));
    const after = await foldedLines();
    expect(after.lines).to.deep.equal(expectedState(joined(first!, second!)));
    // What lies spooled by now reaches further than these positions.
    const again = await foldedLines({ until: { positions } });
    expect(again.folded.tenants).to.deep.equal(before.folded.tenants);
  });

  it('explains any item as it was folded', async () => {
    const world = { ...worlds(1)[0]!, issuances: [] };
    await append(world);
    const { folded, lines } = await foldedLines();
    const idsOf = (texts: readonly string[], tag: string, at: number) =>
      texts
        .map((text) => JSON.parse(text) as string[])
        .flatMap((l) => (l[0] === tag ? [l[at]!] : []));
    const eventIds = idsOf(lines.decisions, 'd', 3);
    const rewardIds = idsOf(lines.rewards, 'r', 3);
    const items = await folded.explainItems({ eventIds, rewardIds });
    expect(items.map(({ id }) => id)).to.have.members([...eventIds, ...rewardIds]);
    expect(items.every(({ explanation }) => explanation.length > 0)).to.equal(true);
  });

  it('goes on from what a killed run had finished', async () => {
    const [first, second] = worlds(2);
    await append(first!);
    await spoolHistory(optionsOf());
    const spool = join(dir, 'spool');
    const files = (await readdir(spool, { recursive: true })).filter((name) => /\/\d/.test(name));
    for (const file of files) await appendFile(join(spool, file), 'half of a rec');
    await append(second!);
    await writeFile(join(spool, 'events', '0.1'), 'never told', { flag: 'a' });
    const { lines } = await foldedLines();
    expect(lines).to.deep.equal(expectedState(joined(first!, second!)));
  });

  it('ends with its processes when it is told to, and can be begun again', async () => {
    const [world] = worlds(1);
    await append(world!);
    const stop = new AbortController();
    const stopped = foldHistory(optionsOf({ signal: stop.signal })).catch((e: Error) => e.message);
    setTimeout(() => stop.abort(new Error('enough')), 300);
    expect(await stopped).to.equal('enough');
    expect((await foldedLines()).lines).to.deep.equal(expectedState(world!));
  });

  it('counts only what was received by the time that is asked for', async () => {
    const events = [1, 2, 3].map((n) => purchase(n, { receivedAt: `2026-03-0${n}T10:00:00.000Z` }));
    await append({ events, codes: [], revisions: [revision()], issuances: [] });
    const { folded } = await foldedLines({ until: { receivedAt: '2026-03-02T10:00:00.000Z' } });
    expect(folded.events).to.equal(2);
  });

  it('folds one tenant alone', async () => {
    const events = [purchase(1), purchase(2, { tenantId: 't2' })];
    await append({ events, codes: [], revisions: [], issuances: [] });
    const { folded } = await foldedLines({ tenantId: 't2' });
    expect(folded.tenants.map(({ tenantId, facts }) => [tenantId, facts])).to.deep.equal([
      ['t2', 1],
    ]);
  });

  it('counts broken records, and refuses a newer one with what to do', async () => {
    await append({ events: [purchase(1)], codes: [], revisions: [], issuances: [] });
    await appender.append([entry('events', 't1:u', 'not JSON')]);
    const { folded } = await foldedLines();
    expect([folded.events, folded.broken]).to.deep.equal([1, 1]);

    await appender.append([entry('events', 't1:u', JSON.stringify({ schemaVersion: 99 }))]);
    const reached = await spoolHistory(optionsOf());
    const beforeIt = await foldedLines({ until: { positions: reached } });
    expect(beforeIt.folded.events).to.equal(1);
    const error = await foldHistory(optionsOf()).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(HistoryRefused);
    expect((error as Error).message).to.match(/events\/\d offset \d .* deploy a newer release/);
  });

  it('refuses positions behind the end of the log', async () => {
    const positions = { [`${brokerName('events', prefix)}/0`]: '5' };
    const error = await foldHistory(optionsOf({ until: { positions } })).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(HistoryRefused);
  });

  it('stands still while live is behind', async () => {
    await append(worlds(1)[0]!);
    let behind = true;
    let asked = 0;
    let done = false;
    const yieldToLive = () => {
      asked += 1;
      return Promise.resolve(behind);
    };
    const folding = foldHistory(optionsOf({ yieldToLive })).finally(() => (done = true));
    await eventually(() => expect(asked).to.be.above(3));
    const spooled: string[] = await readdir(join(dir, 'spool')).catch(() => []);
    expect([done, spooled.includes('events')]).to.deep.equal([false, false]);
    behind = false;
    expect((await folding).events).to.be.above(0);
  });
}).timeout(120_000);

function worlds(count: number): World[] {
  return fc
    .sample(arrivals, { numRuns: count, seed: 7 })
    .map(({ sets }, n) => ({ ...sets, events: sets.events.map((e) => renumbered(e, n)) }))
    .map((world) => ({ ...world, issuances: [issued('anna', 1), issued('bert', 2)] }));
}

/** Events of two worlds must not have the same ids. */
function renumbered(event: EventRecord, n: number): EventRecord {
  return { ...event, eventId: `${n}${event.eventId.slice(1)}` };
}

function joined(a: World, b: World): World {
  return {
    events: [...a.events, ...b.events],
    codes: firstOf([...a.codes, ...b.codes], (c) => `${c.ucc} ${c.version}`),
    revisions: firstOf([...a.revisions, ...b.revisions], (r) => `${r.campaignId} ${r.revision}`),
    tenants: firstOf([...(a.tenants ?? []), ...(b.tenants ?? [])], (t) => String(t.version)),
    issuances: a.issuances,
  };
}

function firstOf<T>(records: readonly T[], name: (record: T) => string): T[] {
  return [...new Map(records.toReversed().map((record) => [name(record), record])).values()];
}

function issued(recipientId: string, n: number): IssuanceFact {
  return {
    schemaVersion: 2,
    type: 'issued',
    issuanceId: derivedId('issuance', recipientId, n),
    rewardId: derivedId('reward', recipientId, n),
    tenantId: 't1',
    campaignId: 'c1',
    recipientId,
    rewardType: 'credits',
    credits: '2.5',
    issuedAt: '2026-03-05T00:00:00.000Z',
    webhookEventId: derivedId('webhook-event', recipientId, n),
  };
}

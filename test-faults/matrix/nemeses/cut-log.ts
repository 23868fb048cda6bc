import { dirname } from 'node:path';
import { eventCodec } from '@tributary/contracts/event-record';
import { topics } from '@tributary/contracts/topics';
import { connectTo } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { cutLastBatch } from '@tributary/testkit/cut-log';
import { eventually } from '@tributary/testkit/eventually';
import { readLag } from '../../inspect.ts';
import { readLog } from '../../read-log.ts';
import { readLogs } from '../collect.ts';
import { askForJob, wants } from '../replay-job.ts';
import { unsaidLosses } from '../checker/lost.ts';
import { customerOf } from '../tenants.ts';
import { filesOf } from './brokers.ts';
import { aMoment, underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

const topic = topics.events.name;
const by = 'olga';

/**
 * The only broker comes back without the last batch of a partition of events, all of which had been
 * acknowledged and decided, and further events are accepted in its place before anybody looks
 * again. That loses events; it must be noticed and said, and the runbook partition-stopped brings
 * everything back that is on the log.
 */
export const cutLog: Nemesis = {
  name: 'cut-log',
  says: 'the only broker comes back without the last events of a partition; others take their place',
  async run(field) {
    const { kafka } = field.stack.servers;
    await aMoment(field);
    const hit = await underWay(field);
    if (hit === undefined) throw new Error('kafka was to be killed, and there was no load');
    const [writers, readers] = [
      replicasOf(field, 'ingest-api', 'legacy-events'),
      replicasOf(field, 'attribution', 'portal'),
    ];
    const { partition, records } = await endWithPaid(field, writers);
    for (const reader of readers) reader.pause();
    field.doing();
    await kafka.kill();
    const count = await cutLastBatch(filesOf(kafka), { topic, partition });
    field.lost.push(
      ...records.slice(-count).map(({ offset, value }) => ({
        ...{ topic, partition, offset: Number(offset) },
        value: JSON.stringify(value),
      })),
    );
    field.undoing();
    await kafka.restart();
    for (const writer of writers) writer.resume();
    const end = await untilBeyond(field, partition, records.at(-1)!.offset);
    field.fired(
      `${topic}/${partition} came back without its last ${count} of ${records.length} records, ` +
        `all decided and the last one paid, ${hit}; it has ${end} now`,
    );
    for (const reader of readers) reader.resume();
    if (await isSaid(field)) await followTheRunbook(field);
  },
};

function replicasOf(
  { stack }: Battlefield,
  ...names: ('ingest-api' | 'legacy-events' | 'attribution' | 'portal')[]
) {
  return names.flatMap((name) => stack.services[name].replicas);
}

type Writer = { pause(): void; resume(): void };
const [atOnce, mostTries] = [12, 10];

/**
 * Reports signups that nobody will report again, and stops who writes events: one of them is the
 * last in its partition then, and nothing is appended behind it. Resolves when all was read, and it
 * has earned what was issued already.
 */
async function endWithPaid(field: Battlefield, writers: readonly Writer[]) {
  const { client, stack } = field;
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const signups = Array.from({ length: atOnce }, (_, n) => {
      const customer = customerOf(stack.demo.tenants[n % stack.demo.tenants.length]!);
      const { tenantId, codes } = customer;
      const newUser = { id: `mx.${tenantId}.${ownUsers}${tries}-${n}` };
      const body = JSON.stringify({ ucc: codes[0], newUser, occurredAt: new Date().toISOString() });
      return client.submit({ tenantId, path: '/v2/events/signup-created', body });
    });
    await Promise.all(signups);
    for (const writer of writers) writer.pause();
    const all = await untilAllRead(field);
    const last = new Map(all.map(({ partition, value }) => [partition, value]));
    const [own] = [...last].filter(([, { newUser }]) => newUser.id.includes(`.${ownUsers}`));
    if (own !== undefined) {
      const [partition, { eventId }] = own;
      await untilIssued(field, eventId);
      return { partition, records: all.filter((record) => record.partition === partition) };
    }
    for (const writer of writers) writer.resume();
  }
  throw new Error('each time something else came behind what was to be lost');
}

const ownUsers = 'lost';

/** All events by their offsets; nothing is unread. */
async function untilAllRead({ stack, db }: Battlefield) {
  return eventually(
    async () => {
      const found = await readLog(stack.kafka, 'events', eventCodec);
      const ends = await readWatermarks(connectTo(stack.kafka), [topic]);
      const last = new Map(found.map(({ partition, offset }) => [`${topic}/${partition}`, offset]));
      for (const [at, { high }] of ends) {
        if ((last.get(at) ?? -1n) !== high - 1n) throw new Error(`${at} has grown`);
      }
      const lag = await readLag(stack.kafka, db);
      if (lag > 0) throw new Error(`${lag} records are not read`);
      return found.toSorted((a, b) => (a.offset < b.offset ? -1 : 1));
    },
    { deadlineMs: 60_000, everyMs: 100 },
  );
}

async function untilIssued({ db }: Battlefield, eventId: string): Promise<void> {
  await eventually(
    async () => {
      const { rowCount } = await db.query(
        'select from rewards_g1.entitlement where issued > 0 and event_id = $1',
        [eventId],
      );
      if (rowCount === 0) throw new Error(`nothing was issued for event ${eventId}`);
    },
    { deadlineMs: 30_000, everyMs: 100 },
  );
}

async function untilBeyond({ stack }: Battlefield, partition: number, offset: bigint) {
  return eventually(
    async () => {
      const ends = await readWatermarks(connectTo(stack.kafka), [topic]);
      const { high } = ends.get(`${topic}/${partition}`)!;
      if (high <= offset) throw new Error(`${topic}/${partition} ends at ${high}`);
      return high;
    },
    { deadlineMs: 120_000, everyMs: 100 },
  );
}

/** Whether all who had read further have said it; if not, the checker will see. */
async function isSaid({ stack, lost }: Battlefield): Promise<boolean> {
  const dir = dirname(stack.services.attribution.replicas[0]!.logFile);
  const said = () => {
    const [unsaid] = unsaidLosses({ lost, logs: readLogs(dir) });
    if (unsaid !== undefined) throw new Error(unsaid);
  };
  return eventually(said, { deadlineMs: 60_000, everyMs: 200 }).then(
    () => true,
    () => false,
  );
}

/** docs/runbooks/partition-stopped.md, "refused", step 3. */
async function followTheRunbook(field: Battlefield): Promise<void> {
  const { demo } = field.stack;
  const generations = '/api/replay/generations';
  const built = await (await askForJob(demo, generations, { by })).over();
  const { generation = 0 } = wants(built, ({ outcome }) => outcome === 'ready');
  const swap = await askForJob(demo, `${generations}/${generation}/swap`, { by });
  wants(await swap.over(), ({ to }) => to === generation);
  field.swapped(generation);
  await field.dropping(1);
  const drop = await askForJob(demo, `${generations}/1`, undefined, 'DELETE');
  wants(await drop.over(), () => true);
}

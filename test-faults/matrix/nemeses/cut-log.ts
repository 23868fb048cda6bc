import { dirname } from 'node:path';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import { topics } from '@tributary/contracts/topics';
import { connectTo } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { cutLastBatch } from '@tributary/testkit/cut-log';
import { eventually } from '@tributary/testkit/eventually';
import { readLog } from '../../read-log.ts';
import { readLogs } from '../collect.ts';
import { askForJob, type Job } from '../replay-job.ts';
import { unsaidLosses } from '../checker/lost.ts';
import { countBy } from '../checker/verdict.ts';
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
    // Nothing is appended from here on, so that it is known what stands at the end.
    for (const writer of writers) writer.pause();
    const before = await untilAllRead(field);
    const partition = await endsWithPaid(field, before);
    for (const reader of readers) reader.pause();
    field.doing();
    await kafka.kill();
    const count = await cutLastBatch(filesOf(kafka), { topic, partition });
    const records = before.filter((record) => record.partition === partition);
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

/** All events, the newest one last; each was applied by attribution and the portal. */
async function untilAllRead({ stack, db }: Battlefield) {
  return eventually(
    async () => {
      const found = await readLog(stack.kafka, 'events', eventCodec);
      const ends = await readWatermarks(connectTo(stack.kafka), [topic]);
      const last = new Map(found.map(({ partition, offset }) => [`${topic}/${partition}`, offset]));
      for (const [at, { high }] of ends) {
        if ((last.get(at) ?? -1n) !== high - 1n) throw new Error(`${at} has grown`);
      }
      for (const schema of ['attribution_g1', 'portal_read_r2']) {
        const { rows } = await db.query<{ at: string; next: string }>(
          `select topic || '/' || partition as at, next_offset as next
           from ${schema}.projection_position where topic = '${topic}'`,
        );
        const positions = new Map(rows.map(({ at, next }) => [at, BigInt(next)]));
        for (const [at, { high }] of ends) {
          if ((positions.get(at) ?? 0n) < high) throw new Error(`${schema} has not read ${at}`);
        }
      }
      return found.toSorted(
        (a, b) => a.timestampMs - b.timestampMs || (a.offset < b.offset ? -1 : 1),
      );
    },
    { deadlineMs: 60_000, everyMs: 100 },
  );
}

/** A partition whose last event has earned what was issued already, and was reported only once. */
async function endsWithPaid(
  { db }: Battlefield,
  records: Awaited<ReturnType<typeof untilAllRead>>,
): Promise<number> {
  const reports = countBy(records, ({ value }) => factOf(value));
  const last = [...new Map(records.map(({ partition, value }) => [partition, value]))]
    .filter(([, value]) => reports.get(factOf(value)) === 1)
    .map(([partition, { eventId }]) => [partition, eventId] as const);
  return eventually(
    async () => {
      const { rows } = await db.query<{ event: string }>(
        `select event_id as event from rewards_g1.entitlement
         where issued > 0 and event_id = any($1)`,
        [last.map(([, eventId]) => eventId)],
      );
      const paid = new Set(rows.map(({ event }) => event));
      const found = last.find(([, eventId]) => paid.has(eventId));
      if (found === undefined)
        throw new Error('nothing was issued for the last event of any partition');
      return found[0];
    },
    { deadlineMs: 30_000, everyMs: 100 },
  );
}

/** What is the same when two endpoints report it. */
function factOf({ tenantId, newUser, eventType, ...event }: EventRecord): string {
  const invoiceId = 'purchase' in event ? event.purchase.invoiceId : undefined;
  return JSON.stringify([tenantId, newUser.id, eventType, invoiceId]);
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
  const { outcome, generation = 0 } = await over(askForJob(demo, generations, { by }));
  if (outcome !== 'ready') throw new Error(`a rebuild ended as ${outcome}`);
  const { to } = await over(askForJob(demo, `${generations}/${generation}/swap`, { by }));
  if (to !== generation) throw new Error(`generation ${to} is live instead of ${generation}`);
  field.swapped(generation);
  await field.dropping(1);
  await over(askForJob(demo, `${generations}/1`, undefined, 'DELETE'));
}

async function over(asked: ReturnType<typeof askForJob>): Promise<NonNullable<Job['result']>> {
  const job = await (await asked).over();
  if (job.status !== 'done') throw new Error(`a job came to ${JSON.stringify(job)}`);
  return job.result ?? {};
}

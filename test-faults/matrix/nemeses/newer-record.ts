import { dirname } from 'node:path';
import { deliveryCodec } from '@tributary/contracts/delivery-record';
import { topics } from '@tributary/contracts/topics';
import { connectTo } from '@tributary/event-log/testing';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { eventually } from '@tributary/testkit/eventually';
import { repository } from '../../../deploy/local/state-dir.ts';
import { readLog } from '../../read-log.ts';
import type { Stack } from '../../../deploy/local/stack.ts';
import { saysStopped } from '../checker/lost.ts';
import { dumpTopic, readLogs } from '../collect.ts';
import { applyEdit, type Edit } from '../mutants/mutant.ts';
import { copyCheckout } from '../mutants/copy-checkout.ts';
import { aMoment, underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

const topic = topics.deliveries.name;
const newer = deliveryCodec.schemaVersion + 1;
/** That they go on sending is seen by so many that were taken. */
const severalWebhooks = 20;

/** What makes the next release of this one: it writes deliveries of a version of its own. */
export const nextRelease: readonly Edit[] = [
  {
    name: 'the next release',
    file: 'packages/contracts/src/delivery-record.ts',
    from: `deliverySchemaVersion = ${deliveryCodec.schemaVersion} as const`,
    to: `deliverySchemaVersion = ${newer} as const`,
  },
  {
    name: 'the next release',
    file: 'packages/contracts/src/delivery-record.ts',
    from: '  upcasters: {\n',
    to: `  upcasters: {\n    ${deliveryCodec.schemaVersion}: (older) => ({ ...older, schemaVersion: ${newer} }),\n`,
  },
];

/**
 * A release was deployed in the wrong order, or rolled back: one partition of deliveries has a
 * record that its readers do not know. They stop there, and go on everywhere else, also when the
 * dispatchers are started again; and once that release is deployed nothing has been left out.
 */
export function newerRecord(): Nemesis {
  let isNext = new Set<string>();
  return {
    name: 'newer-record',
    says: 'a record of the next release, both dispatchers killed; then that release is deployed',
    async stack(atEnd) {
      const { root, remove } = await copyCheckout();
      atEnd(remove);
      for (const edit of nextRelease) applyEdit(root, edit);
      isNext = new Set();
      const checkoutOf = (replica: string) => (isNext.has(replica) ? root : repository);
      return { replicas: { 'webhook-dispatcher': 2 }, checkoutOf };
    },
    async run(field) {
      const { services } = field.stack;
      const dispatchers = services['webhook-dispatcher'].replicas;
      await aMoment(field);
      field.doing();
      const place = await appendNewer(field);
      await untilSaid(field, place);
      const hit = await underWay(field);
      const pids = dispatchers.map(({ pid }) => pid).join(' and ');
      const exits = await Promise.all(dispatchers.map((one) => one.kill('SIGKILL')));
      if (hit !== undefined && exits.every(({ signal }) => signal === 'SIGKILL')) {
        const gone = `dispatchers ${pids} ended by SIGKILL, ${hit}`;
        field.fired(`${place.at} has a record of version ${newer}; ${gone}`);
      }
      // They are ready in full only when that partition is read, too.
      for (const one of dispatchers) void one.restart().catch(() => undefined);
      await untilTheySend(field, place);
      await expectStopped(field, place);
      field.undoing();
      // Readers before writers, as docs/runbooks/partition-stopped.md says.
      for (const replica of [...services.portal.replicas, ...dispatchers]) {
        await replica.kill('SIGTERM');
        isNext.add(replica.name);
        await replica.restart().catch(({ message }: Error) => field.amiss(message.split('\n')[0]!));
      }
    },
  };
}

type Place = { at: string; partition: number; offset: bigint };

/** The last delivery of some partition again, as the next release would have written it. */
async function appendNewer({ stack }: Battlefield): Promise<Place> {
  const delivery = await eventually(
    async () => {
      const found = (await readLog(stack.kafka, 'deliveries', deliveryCodec)).at(-1);
      if (found === undefined) throw new Error('nothing was delivered yet');
      return found;
    },
    { deadlineMs: 60_000 },
  );
  const appender = await startPatientAppender(connectTo(stack.kafka));
  const value = JSON.stringify({ ...delivery.value, schemaVersion: newer });
  await appender.append([{ topic, key: delivery.key, value }]);
  await appender.stop();
  const { partition } = delivery;
  const at = `${topic}/${partition}`;
  const offset = await findOffset(stack, partition, value);
  return { at, partition, offset };
}

async function findOffset(stack: Stack, partition: number, value: string): Promise<bigint> {
  const log = await dumpTopic(stack.kafka, topic);
  const found = log.find((one) => one.partition === partition && one.value === value);
  if (found === undefined) throw new Error(`the record is not on ${topic}/${partition}`);
  return BigInt(found.offset);
}

/** A dispatcher and the portal have each said where they stopped. */
async function untilSaid(field: Battlefield, { at }: Place): Promise<void> {
  const dir = dirname(field.stack.services.portal.replicas[0]!.logFile);
  const unsaid = () => {
    const said = Object.entries(readLogs(dir)).filter(([, log]) =>
      saysStopped(log, 'newer-schema', at),
    );
    return ['portal', 'webhook-dispatcher'].filter(
      (service) => !said.some(([name]) => name.startsWith(service)),
    );
  };
  await eventually(
    () => {
      if (unsaid().length > 0) throw new Error('not everybody has said it');
    },
    { deadlineMs: 30_000 },
  ).catch(() => field.amiss(`${unsaid().join(' and ')} did not say that they stopped at ${at}`));
}

/** Nobody has read on, as if that record were nothing. */
async function expectStopped(field: Battlefield, { at, partition, offset }: Place): Promise<void> {
  for (const schema of ['dispatch', 'portal_read_r2']) {
    const { rows } = await field.db.query<{ next: string }>(
      `select next_offset as next from ${schema}.projection_position
       where topic = '${topic}' and partition = ${partition}`,
    );
    const next = rows[0]?.next;
    if (next === undefined || BigInt(next) > offset) {
      field.amiss(`${schema} is at ${next} of ${at}, beyond the record that it does not know`);
    }
  }
}

async function untilTheySend(field: Battlefield, { at: place }: Place): Promise<void> {
  const since = new Date().toISOString();
  const sent = () =>
    field.receiver.webhooks.filter(({ at, status }) => at > since && status === 200).length;
  await eventually(
    () => {
      if (sent() < severalWebhooks) throw new Error(`${sent()} webhooks were sent`);
    },
    { deadlineMs: 60_000 },
  ).then(
    () => field.fired(`started again, they sent ${sent()} webhooks while ${place} was stopped`),
    () => field.amiss(`while ${place} was stopped, only ${sent()} webhooks were sent`),
  );
}

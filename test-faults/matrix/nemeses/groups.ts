import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { testSessionTimeoutMs } from '@tributary/testkit/session-timeout';
import { expect } from 'chai';
import type { ServiceReplica } from '../../../deploy/local/service-replica.ts';
import { lastAssignment } from '../../last-assignment.ts';
import { readPositions, sleepsInTransaction } from '../../positions.ts';
import { processState } from '../../stopped-process.ts';
import { shortLeases } from './processes.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

/** Consumers that leave their group, or are taken for dead, while others go on. */
export const foldSchemas = { attribution: 'attribution_g1', rewards: 'rewards_g1' } as const;
type Fold = keyof typeof foldSchemas;
const folds = ['attribution', 'rewards'] as const;

export const shortSessions = { TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: String(testSessionTimeoutMs) };
const asleepMs = 2 * testSessionTimeoutMs;

export function sleepingFold(name: Fold): Nemesis {
  return {
    name: `sleep-${name}`,
    says: `SIGSTOP of one of two ${name}, inside a transaction and outside, until others took over`,
    stack: { replicas: { [name]: 2 }, variables: { [name]: shortSessions } },
    async run(field) {
      for (const isInside of [true, false]) await foldSleeps(field, name, isInside);
    },
  };
}

async function foldSleeps(field: Battlefield, name: Fold, isInside: boolean): Promise<void> {
  const { stack, db, doing, fired, undoing } = field;
  const { replicas } = stack.services[name];
  const [sleeper] = replicas;
  const before = await readPositions(db, foldSchemas[name]);
  // One that has slept before has to be back.
  await eventually(() => expectShared(replicas, before.length), untilTaken);
  await sleepsWith(sleeper!, async () => {
    const isSo = await sleepsInTransaction(db, name).catch(() => undefined);
    return isSo === isInside ? true : undefined;
  });
  const asleepSince = performance.now();
  doing();
  try {
    await eventually(async () => {
      const now = await readPositions(db, foldSchemas[name]);
      const epochs = new Map(now.map(({ partition, epoch }) => [partition, epoch]));
      const kept = before.filter(({ partition, epoch }) => epochs.get(partition)! <= epoch);
      expect(kept, 'partitions that nobody took over').to.deep.equal([]);
    }, untilTaken);
    await delay(Math.max(0, asleepSince + asleepMs - performance.now()));
    const seconds = ((performance.now() - asleepSince) / 1_000).toFixed(1);
    const where = isInside ? 'inside a transaction' : 'outside of any transaction';
    expect(processState(sleeper!.pid), `${name} was woken`).to.equal('T');
    fired(`${name} slept ${where} for ${seconds} s; all ${before.length} partitions changed hands`);
  } finally {
    undoing();
    sleeper!.resume();
  }
  await sleeper!.ready();
}

/** Each of them has partitions, and together they have all. */
function expectShared(replicas: readonly ServiceReplica[], partitions: number): void {
  const shares = replicas.map(lastAssignment);
  expect(shares).to.not.include(0);
  expect(sum(shares)).to.equal(partitions);
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

/** Puts it to sleep again and again, until what it is then found with is not undefined. */
function sleepsWith<T>(sleeper: ServiceReplica, find: () => Promise<T | undefined>): Promise<T> {
  return eventually(
    async () => {
      const { pid } = sleeper;
      sleeper.pause();
      await eventually(() => expect(processState(pid)).to.equal('T'), { everyMs: 5 });
      const found = await find();
      if (found !== undefined) return found;
      sleeper.resume();
      throw new Error(`${sleeper.name} does not fall asleep where it should`);
    },
    { deadlineMs: 60_000, everyMs: 37 },
  );
}

/** Until others have what a sleeper had. */
const untilTaken = { deadlineMs: 60_000, everyMs: 100 };

export const sleepingDispatcher: Nemesis = {
  name: 'sleep-webhook-dispatcher',
  says: 'SIGSTOP of one of two webhook-dispatchers with webhooks under way, longer than its lease',
  stack: { replicas: { 'webhook-dispatcher': 2 }, variables: shortLeases },
  async run({ stack, db, receiver, doing, fired, undoing }) {
    const [sleeper] = stack.services['webhook-dispatcher'].replicas;
    receiver.behave({ status: 200, afterMs: 300 });
    const claimed = await sleepsWith(sleeper!, async () => {
      const claims = await claimsOf(db, sleeper!);
      return claims.length > 0 ? claims : undefined;
    });
    const asleepSince = performance.now();
    doing();
    try {
      await eventually(async () => {
        const left = await db.query(
          `select 1 from dispatch.delivery where webhook_event_id = any($1) and state <> 'delivered'`,
          [claimed],
        );
        expect(left.rows, 'webhooks that nobody else has delivered').to.have.length(0);
      }, untilTaken);
      const seconds = ((performance.now() - asleepSince) / 1_000).toFixed(1);
      if (processState(sleeper!.pid) === 'T') {
        fired(`it slept for ${seconds} s; another delivered the ${claimed.length} that it had`);
      }
    } finally {
      undoing();
      receiver.take();
      sleeper!.resume();
    }
    await sleeper!.ready();
  },
};

/** Webhooks that this process alone may send now. */
async function claimsOf(
  db: Battlefield['db'],
  { pid }: Pick<ServiceReplica, 'pid'>,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select d.webhook_event_id as id
     from dispatch.delivery d join dispatch.worker w on w.worker_id = d.claimed_by
     where w.name like '%/' || $1::text`,
    [pid],
  );
  return rows.map(({ id }) => id);
}

export const rebalanceStorm: Nemesis = {
  name: 'rebalance-storm',
  says: 'attribution and rewards have 4, 2, 3 and 1 processes in turn, under load',
  async run({ stack, doing, fired, undoing }) {
    const groups = folds.map((name) => stack.services[name]);
    const totals = groups.map(({ replicas }) => sum(replicas.map(lastAssignment)));
    for (const count of [4, 2, 3, 1]) {
      doing();
      undoing();
      await Promise.all(groups.map((group) => group.scale(count)));
      await eventually(() => {
        for (const [i, { replicas }] of groups.entries()) expectShared(replicas, totals[i]!);
      }, untilTaken);
      const told = groups.map(
        ({ name, replicas }) => `${name} ${replicas.map(lastAssignment).join(' + ')}`,
      );
      fired(`${count} processes each, with partitions: ${told.join('; ')}`);
    }
  },
};

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NativeServer } from '@tributary/native-servers/native-server';
import { queryOnce } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { isAlive } from '../../is-alive.ts';
import { followLog } from '../../server-log.ts';
import { fillDisk } from '../full-disk.ts';
import { acceptedAnew, aMoment, underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

/** Servers whose data are on a small disk of their own. Nothing else uses it. */
const noRoom = 'No space left on device';
const fullMs = 8_000;

export const fullKafkaDisk: Nemesis = {
  name: 'full-kafka-disk',
  says: 'the disk of kafka is full under load, which ends it; it is started when there is room',
  stack: { disks: { kafka: 192 } },
  run: (field) =>
    whileFull(field, field.stack.servers.kafka, async ({ hit, left, written, clear }) => {
      const { kafka } = field.stack.servers;
      await eventually(() => expect(isAlive(kafka.pid), 'kafka lives').to.equal(false), {
        deadlineMs: 60_000,
      });
      const since = new Date().toISOString();
      await delay(fullMs);
      const accepted = acceptedAnew(field, since);
      expect(accepted, 'requests accepted without a broker').to.have.length(0);
      const refused = field.client.requests.filter(
        ({ sentAt, status }) => sentAt > since && status === 503,
      ).length;
      const why = whyEnded(written());
      if (why !== undefined && refused > 0 && (await left()) === 0) {
        field.fired(
          `kafka (pid ${kafka.pid}) ended with no byte left on its disk (${why}), ${hit}; ` +
            `${refused} requests were answered 503, and none was accepted`,
        );
      }
      field.undoing();
      clear();
      await eventually(() => kafka.restart(), { deadlineMs: 60_000 });
    }),
};

/** The first write that failed, and what the broker concluded, in its own words. */
function whyEnded(log: string): string | undefined {
  if (!log.includes(noRoom)) return undefined;
  const failed = /Error while [^\n(]*/.exec(log)?.[0].trim() ?? '';
  const ended = /(?:Encountered fatal fault|Shutdown broker)[^\n(]*/.exec(log)?.[0].trim();
  return ended && `${failed}: ${noRoom}; ${ended}`;
}

export const fullPostgresDisk: Nemesis = {
  name: 'full-postgres-disk',
  says: 'the disk of postgres is full under load; it is started where that has ended it',
  stack: { disks: { postgres: 512 } },
  run: (field) =>
    whileFull(field, field.stack.servers.postgres, async ({ hit, left, written, clear }) => {
      const failed = () =>
        written()
          .split('\n')
          .filter((line) => line.includes(noRoom));
      await eventually(() => expect(failed(), 'statements that failed').to.not.be.empty, {
        deadlineMs: 60_000,
      });
      await delay(fullMs);
      const lines = failed();
      const [first = ''] = lines;
      const { length: panics } = lines.filter((line) => line.includes('PANIC'));
      if ((await left()) === 0) {
        field.fired(
          `${lines.length} times Postgres had no byte left on its disk, ${panics} times it ` +
            `ended all sessions for it, ${hit}: ${first}`,
        );
      }
      field.undoing();
      clear();
      await startIfEnded(field);
    }),
};

type Full = {
  hit: string;
  left: () => Promise<number>;
  /** What the server has written into its log meanwhile. */
  written: () => string;
  /** Makes room again. */
  clear: () => void;
};

async function whileFull(
  field: Battlefield,
  server: NativeServer,
  work: (full: Full) => Promise<void>,
): Promise<void> {
  await aMoment(field);
  const written = followLog(server.logFile);
  const hit = await underWay(field);
  if (hit === undefined) throw new Error('a disk was to be filled, and there was no load');
  field.doing();
  const disk = fillDisk(join(server.dir, 'data'));
  let isCleared = false;
  const clear = () => {
    if (!isCleared) disk.clear();
    isCleared = true;
  };
  // Also where the row was given up while this waits.
  field.atEnd(clear);
  try {
    await work({ hit, written, left: disk.left, clear });
  } finally {
    clear();
  }
}

/** As whoever looks after servers does: one that is still there comes back by itself. */
async function startIfEnded({ stack }: Battlefield): Promise<void> {
  const { postgres } = stack.servers;
  const answers = () =>
    queryOnce(postgres.url, 'select 1').then(
      () => true,
      () => false,
    );
  await eventually(
    async () => {
      if (!isAlive(postgres.pid)) await postgres.restart();
      expect(await answers(), 'postgres answers').to.equal(true);
    },
    { deadlineMs: 60_000 },
  );
}

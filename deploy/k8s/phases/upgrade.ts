import { setTimeout as delay } from 'node:timers/promises';
import { deploymentOf, release } from '../chart/names.ts';
import { namespace } from '../cluster/addresses.ts';
import type { Row } from '../table.ts';
import type { World } from '../world.ts';
import { judge } from './judge.ts';
import { refusalsOf, underLoad } from './load.ts';

const perSecond = 100;
const aroundMs = 5_000;

/**
 * The release that runs is upgraded to this one and rolled back, while customers report. What the
 * migrations added stays: the earlier release goes on with it.
 */
export async function upgradePhase(world: World): Promise<Row[]> {
  const { helm, values } = world;
  const changes: [string, string, () => Promise<unknown>][] = [
    [
      '5a upgrade',
      'helm upgrade from an earlier release',
      async () => {
        await helm.setValues(values);
        await helm.install();
      },
    ],
    ['5b roll back', 'helm rollback to it', () => helm.rollBack()],
  ];
  const rows: Row[] = [];
  for (const [phase, asked, change] of changes) rows.push(await play(world, phase, asked, change));
  return rows;
}

async function play(
  world: World,
  phase: string,
  asked: string,
  change: () => Promise<unknown>,
): Promise<Row> {
  const { say, signal } = world;
  const [imagesBefore, migrationsBefore] = [await imagesOf(world), await migrationsOf(world)];
  const { traffic } = await underLoad(world, perSecond, async () => {
    await delay(aroundMs, undefined, { signal });
    await change();
    say('the Jobs have ended; pods are replaced');
    await untilReplaced(world);
    await delay(aroundMs, undefined, { signal });
  });
  const judged = await judge(world, traffic.accepted, { mayRepeat: false });
  for (const mistake of judged.mistakes.slice(0, 20)) say(`✗ ${mistake}`);
  const images = await imagesOf(world);
  const migrations = (await migrationsOf(world)) - migrationsBefore;
  const isReplaced = images.length === 1 && images.join() !== imagesBefore.join();
  const refusals = refusalsOf(traffic);
  return {
    phase,
    asked: `${asked} at ${perSecond}/s: only 202, nothing lost`,
    seen:
      `${imagesBefore.join(', ')} → ${images.join(', ')}, ${migrations} migrations; ` +
      `${traffic.accepted.length} accepted, ${refusals}; ${judged.seen}`,
    ok: isReplaced && refusals === 'only 202' && judged.mistakes.length === 0,
  };
}

/** All Deployments run what they are to run, and no older pod is left. */
async function untilReplaced({ kubectl }: World): Promise<void> {
  const list = await kubectl('-n', namespace, 'get', 'deployments', '-o', 'name');
  for (const deployment of list.split('\n').filter((name) => name !== '')) {
    await kubectl('-n', namespace, 'rollout', 'status', deployment, '--timeout=300s');
  }
}

/** Tags of the services' images, by their pods. */
async function imagesOf({ kubectl }: World): Promise<string[]> {
  type Pods = {
    items: {
      metadata: { name: string; deletionTimestamp?: string };
      spec: { containers: { image: string }[] };
    }[];
  };
  const chosen = ['-l', `app.kubernetes.io/instance=${release}`];
  const running = '--field-selector=status.phase=Running';
  const { items } = await kubectl.json<Pods>('-n', namespace, 'get', 'pods', ...chosen, running);
  const ofServices = items.filter(
    ({ metadata: { name, deletionTimestamp } }) =>
      deletionTimestamp === undefined && !name.startsWith(deploymentOf('edge')),
  );
  const images = ofServices.flatMap(({ spec }) => spec.containers.map(({ image }) => image));
  return [...new Set(images.map((image) => image.split(':').at(-1)!))];
}

/** How many were run, in all schemas. */
async function migrationsOf({ db }: World): Promise<number> {
  const { rows } = await db.query<{ table: string }>(
    `select format('%I.%I', table_schema, table_name) as table
     from information_schema.tables where table_name like 'migration%'`,
  );
  let count = 0;
  for (const { table } of rows) {
    const found = await db.query<{ count: string }>(`select count(*) from ${table}`);
    count += Number(found.rows[0]!.count);
  }
  return count;
}

import { setTimeout as delay } from 'node:timers/promises';
import { namespace } from '../cluster/addresses.ts';
import { deploymentOf } from '../chart/names.ts';
import type { Row } from '../table.ts';
import type { World } from '../world.ts';
import { judge } from './judge.ts';
import { refusalsOf, underLoad } from './load.ts';

/** In order of the flow, the edge before all. */
const updated = ['edge', 'ingest-api', 'attribution', 'rewards', 'webhook-dispatcher'] as const;
const perSecond = 100;
const aroundMs = 5_000;

/** Every pod of the flow is replaced by a new one while customers report. */
export async function rollingUpdatePhase(world: World): Promise<Row> {
  const { kubectl, say, signal } = world;
  const inNamespace = ['-n', namespace];
  const { traffic } = await underLoad(world, perSecond, async () => {
    await delay(aroundMs, undefined, { signal });
    for (const name of updated) {
      const deployment = `deployment/${deploymentOf(name)}`;
      await kubectl(...inNamespace, 'rollout', 'restart', deployment);
      await kubectl(...inNamespace, 'rollout', 'status', deployment, '--timeout=180s');
      say(`${name} is replaced`);
    }
    await delay(aroundMs, undefined, { signal });
  });
  const judged = await judge(world, traffic.accepted, { mayRepeat: false });
  for (const mistake of judged.mistakes.slice(0, 20)) say(`✗ ${mistake}`);
  return {
    phase: '3 rolling update',
    asked: `pods of ${updated.length} Deployments replaced at ${perSecond}/s: only 202, nothing lost`,
    seen: `${traffic.accepted.length} accepted, ${refusalsOf(traffic)}; ${judged.seen}`,
    ok: judged.mistakes.length === 0 && refusalsOf(traffic) === 'only 202',
  };
}

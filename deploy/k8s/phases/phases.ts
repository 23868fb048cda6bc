import type { PhaseName } from '../options.ts';
import type { Row } from '../table.ts';
import type { World } from '../world.ts';
import { faultsPhase } from './faults.ts';
import { mainJobPhase } from './main-job.ts';
import { rollingUpdatePhase } from './rolling-update.ts';
import { scalingPhase } from './scaling.ts';
import { upgradePhase } from './upgrade.ts';

export type PhaseOptions = { elapsedMs: () => number; minutes: number };

export const phases: Record<PhaseName, (world: World, options: PhaseOptions) => Promise<Row[]>> = {
  'main-job': async (world, { elapsedMs }) => [await mainJobPhase(world, elapsedMs)],
  scaling: async (world) => [await scalingPhase(world)],
  'rolling-update': async (world) => [await rollingUpdatePhase(world)],
  faults: (world, { minutes }) => faultsPhase(world, minutes),
  upgrade: (world) => upgradePhase(world),
};

import type { GenerationsDb } from '@tributary/generations/registry';
import type { Stage } from '@tributary/generations/stage';
import { listStages } from '@tributary/generations/stage-registry';
import { NotNow } from './wait.ts';

/** What a generation consists of: the folds, which read one another, and whatever reads them. */
export type Stages = { attribution: Stage; rewards: Stage; readModels: readonly Stage[] };

/**
 * As the services registered themselves.
 *
 * @throws NotNow when a fold has not: no process of this release has run on this database yet.
 */
export async function readStages(db: GenerationsDb, generation: number): Promise<Stages> {
  const stages = await listStages(db, generation);
  const fold = (name: string): Stage => {
    const found = stages.find((stage) => stage.name === name);
    if (!found) throw new NotNow(`${name} has not registered itself: start it once`);
    return found;
  };
  const [attribution, rewards] = [fold('attribution'), fold('rewards')];
  const readModels = stages.filter((stage) => stage !== attribution && stage !== rewards);
  return { attribution, rewards, readModels };
}

/** In the order in which they depend on one another. */
export function allOf({ attribution, rewards, readModels }: Stages): Stage[] {
  return [attribution, rewards, ...readModels];
}

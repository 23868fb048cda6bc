import { type FoldVersion, isFoldVersion } from '@tributary/attribution-fold/fold-version';
import { findGeneration, type GenerationsDb } from '@tributary/generations/registry';

/**
 * By which rules this generation folds. One that a later release made by rules that are unknown
 * here is not run: to decide by others would not be the same generation.
 */
export async function readFoldVersion(
  registry: GenerationsDb,
  generation: number,
): Promise<FoldVersion> {
  const { foldVersion } = (await findGeneration(registry, generation)) ?? {};
  if (foldVersion === undefined) throw new Error(`generation ${generation} is not registered`);
  if (isFoldVersion(foldVersion)) return foldVersion;
  throw new Error(
    `generation ${generation} folds by version ${foldVersion}, unknown to this release`,
  );
}

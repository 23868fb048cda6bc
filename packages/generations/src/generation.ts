/**
 * A generation is one run of the folds over the whole log: attribution, rewards and the portal's
 * read model, each with a schema, a consumer group and derived topics of its own.
 *
 *   building ──swap──▶ live ──swap──▶ kept ──drop──▶ gone
 *       └───────────────┴──▶ lost: its schemas are older than its topics, see judge-generation.ts
 *
 * What is issued belongs to the generation that `live_generation` names, whatever its status; a
 * lost one is still named there until another one is.
 */
export type GenerationStatus = 'building' | 'live' | 'kept' | 'lost';

export type Generation = {
  number: number;
  status: GenerationStatus;
  /** By which rules it folds, from its first record on; never changed. */
  foldVersion: number;
  /** Why it was made, or why it is lost. */
  note: string | undefined;
  createdAt: string;
};

/** What happened to generations, to be told to people. */
export type GenerationEvent = { number: number; at: string; line: string };

/** Whether a host runs it; a lost one is not run. */
export function isRun({ status }: Generation): boolean {
  return status !== 'lost';
}

/**
 * `attribution_g1` → `attribution_g2`, `portal_read` → `portal_read_g2`; the first keeps its name.
 */
export function schemaOfGeneration(first: string, generation: number): string {
  return generation === 1 ? first : `${first.replace(/_g\d+$/, '')}_g${generation}`;
}

/** `attribution` → `attribution-g2`; the first keeps its name. */
export function groupOfGeneration(first: string, generation: number): string {
  return generation === 1 ? first : `${first}-g${generation}`;
}

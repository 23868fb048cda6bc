/**
 * A generation is one run over the whole log of everything that is made of it anew: attribution,
 * rewards, and the read models of portal and widget, each with a schema and a consumer group of its
 * own (stage.ts); the folds write topics of its own.
 *
 *   building ──swap──▶ live ──swap──▶ kept ──drop──▶ gone
 *       └───────────────┴──▶ lost: its schemas are older than its topics, see evaluate-generation.ts
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

/** Whoever's it is; of a later generation than the first. */
export function isSchemaOfGeneration(schema: string, generation: number): boolean {
  return schema.endsWith(`_g${generation}`);
}

/** Whether a schema is called as that of some generation after the first. */
export function isOfLaterGeneration(schema: string): boolean {
  return Number(/_g(\d+)$/.exec(schema)?.[1] ?? 1) > 1;
}

/** `attribution` → `attribution-g2`; the first keeps its name. */
export function groupOfGeneration(first: string, generation: number): string {
  return generation === 1 ? first : `${first}-g${generation}`;
}

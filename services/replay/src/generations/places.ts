import { groupOfGeneration, schemaOfGeneration } from '@tributary/generations/generation';

/** Where one stage of a generation keeps itself. */
export type Place = {
  schema: string;
  /** Consumer group. */
  group: string;
  /** As its positions are named. */
  projection: string;
};

export type GenerationPlaces = { attribution: Place; rewards: Place; readModel: Place };

/** How the first generation is wired; the names of all others follow from it. */
export type FirstPlaces = {
  attributionSchema: string;
  rewardsSchema: string;
  readModelSchema: string;
  attributionGroup: string;
  rewardsGroup: string;
  portalGroup: string;
};

export function placesOf(first: FirstPlaces, generation: number): GenerationPlaces {
  const place = (schema: string, group: string, projection: string): Place => ({
    schema: schemaOfGeneration(schema, generation),
    group: groupOfGeneration(group, generation),
    projection,
  });
  return {
    attribution: place(first.attributionSchema, first.attributionGroup, 'attribution'),
    rewards: place(first.rewardsSchema, first.rewardsGroup, 'rewards'),
    readModel: place(first.readModelSchema, first.portalGroup, 'portal'),
  };
}

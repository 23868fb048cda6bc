import type { Topic } from '@tributary/contracts/topics';

/** What the read model is made of: everything. A source is named by its topic. */
export const topicsRead = [
  'events',
  'people',
  'codes',
  'catalog',
  'attributions',
  'rewards',
  'issuances',
  'deliveries',
  'deadLetters',
  'refusals',
] as const satisfies readonly Topic[];
export type TopicRead = (typeof topicsRead)[number];

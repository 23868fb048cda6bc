import type { Topic } from '@tributary/contracts/topics';

/**
 * A source is named by its topic. Of the catalog it is the erasures, of issuances what operators
 * did.
 */
export const topicsRead = [
  'codes',
  'people',
  'catalog',
  'attributions',
  'rewards',
  'issuances',
] as const satisfies readonly Topic[];
export type TopicRead = (typeof topicsRead)[number];

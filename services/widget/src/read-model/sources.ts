import { catalogCodec } from '@tributary/contracts/catalog-record';
import { codeCodec } from '@tributary/contracts/code-record';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { personCodec } from '@tributary/contracts/people-record';
import { rewardCodec } from '@tributary/contracts/reward-record';
import type { Topic } from '@tributary/contracts/topics';
import { source, type Source } from '@tributary/event-log/projection';

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

export function sourcesOf(nameOf: (topic: Topic) => string): Source[] {
  return topicsRead.map((topic) => {
    const name = nameOf(topic);
    switch (topic) {
      case 'codes':
        return source(topic, name, codeCodec);
      case 'people':
        return source(topic, name, personCodec, { compacted: true, personal: true });
      case 'catalog':
        return source(topic, name, catalogCodec);
      case 'attributions':
        return source(topic, name, decisionCodec);
      case 'rewards':
        return source(topic, name, rewardCodec);
      case 'issuances':
        return source(topic, name, issuanceCodec);
      default:
        return topic satisfies never;
    }
  });
}

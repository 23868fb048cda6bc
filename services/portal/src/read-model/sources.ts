import { catalogCodec } from '@tributary/contracts/catalog-record';
import { codeCodec } from '@tributary/contracts/code-record';
import { deadLetterCodec } from '@tributary/contracts/dead-letter-record';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { deliveryCodec } from '@tributary/contracts/delivery-record';
import { eventCodec } from '@tributary/contracts/event-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { personCodec } from '@tributary/contracts/people-record';
import { rewardCodec } from '@tributary/contracts/reward-record';
import type { Topic } from '@tributary/contracts/topics';
import { source, type Source } from '@tributary/event-log/projection';

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
] as const satisfies readonly Topic[];
export type TopicRead = (typeof topicsRead)[number];

export function sourcesOf(nameOf: (topic: Topic) => string): Source[] {
  return topicsRead.map((topic) => {
    const name = nameOf(topic);
    switch (topic) {
      case 'events':
        return source(topic, name, eventCodec);
      case 'people':
        return source(topic, name, personCodec, { compacted: true, personal: true });
      case 'codes':
        return source(topic, name, codeCodec);
      case 'catalog':
        return source(topic, name, catalogCodec);
      case 'attributions':
        return source(topic, name, decisionCodec);
      case 'rewards':
        return source(topic, name, rewardCodec);
      case 'issuances':
        return source(topic, name, issuanceCodec);
      case 'deliveries':
        return source(topic, name, deliveryCodec);
      case 'deadLetters':
        // Kept for 90 days: what was read last may be gone, and the log begins later than before.
        return source(topic, name, deadLetterCodec, { compacted: true });
      default:
        return topic satisfies never;
    }
  });
}

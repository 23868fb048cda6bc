import { auditCodec } from '@tributary/contracts/audit-record';
import { catalogCodec } from '@tributary/contracts/catalog-record';
import { codeCodec } from '@tributary/contracts/code-record';
import { deadLetterCodec } from '@tributary/contracts/dead-letter-record';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { deliveryCodec } from '@tributary/contracts/delivery-record';
import { eventCodec } from '@tributary/contracts/event-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { personCodec } from '@tributary/contracts/people-record';
import { processorCodec } from '@tributary/contracts/processor-record';
import { refusalCodec } from '@tributary/contracts/refusal-record';
import { rewardCodec } from '@tributary/contracts/reward-record';
import type { Topic } from '@tributary/contracts/topics';
import { source, type Source } from './projection.ts';

/** Sources that are named by their topics. */
export function topicSources(topics: readonly Topic[], nameOf: (topic: Topic) => string): Source[] {
  return topics.map((topic) => sourceOf[topic](topic, nameOf(topic)));
}

const sourceOf: Record<Topic, (topic: Topic, name: string) => Source> = {
  events: (topic, name) => source(topic, name, eventCodec),
  people: (topic, name) => source(topic, name, personCodec, { compacted: true, personal: true }),
  codes: (topic, name) => source(topic, name, codeCodec),
  catalog: (topic, name) => source(topic, name, catalogCodec),
  attributions: (topic, name) => source(topic, name, decisionCodec),
  rewards: (topic, name) => source(topic, name, rewardCodec),
  issuances: (topic, name) => source(topic, name, issuanceCodec),
  deliveries: (topic, name) => source(topic, name, deliveryCodec),
  processor: (topic, name) => source(topic, name, processorCodec),
  // Kept for some days: what was read last may be gone, and the log begins later than before.
  deadLetters: (topic, name) => source(topic, name, deadLetterCodec, { compacted: true }),
  audit: (topic, name) => source(topic, name, auditCodec, { compacted: true }),
  refusals: (topic, name) => source(topic, name, refusalCodec, { compacted: true }),
};

import { auditCodec } from './audit-record.ts';
import { catalogCodec } from './catalog-record.ts';
import { codeCodec } from './code-record.ts';
import { deadLetterCodec } from './dead-letter-record.ts';
import { decisionCodec } from './decision-record.ts';
import { deliveryCodec } from './delivery-record.ts';
import { eventCodec } from './event-record.ts';
import { issuanceCodec } from './issuance-record.ts';
import { personCodec } from './people-record.ts';
import { processorCodec } from './processor-record.ts';
import type { Codec } from './record.ts';
import { refusalCodec } from './refusal-record.ts';
import { rewardCodec } from './reward-record.ts';
import type { Topic } from './topics.ts';

/** How the records of each topic are read and written, for whoever deals with all topics alike. */
export const codecOfTopic: Readonly<Record<Topic, Codec<unknown>>> = {
  events: eventCodec,
  people: personCodec,
  codes: codeCodec,
  catalog: catalogCodec,
  attributions: decisionCodec,
  rewards: rewardCodec,
  issuances: issuanceCodec,
  deliveries: deliveryCodec,
  processor: processorCodec,
  deadLetters: deadLetterCodec,
  audit: auditCodec,
  refusals: refusalCodec,
};

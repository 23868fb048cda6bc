import type { FoldVersion } from '@tributary/attribution-fold/fold-version';
import type { Positions } from '@tributary/contracts/admin/replay-results';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { type Topic, topicName } from '@tributary/contracts/topics';

/** Which part of what lies spooled is folded; as small as it is, it goes to every process. */
export type Cut = {
  prefix: string;
  foldVersion: FoldVersion;
  positions: Positions;
  /** UTC with milliseconds. */
  receivedAt?: string | undefined;
  draft?: CampaignRevisionRecord | undefined;
};

/** Into how many pieces each kind of thing is cut. Fixed by the first call for a directory. */
export type Shape = {
  /** Users and recipients. */
  shards: number;
  /** Codes, and names of invoices. */
  buckets: number;
};

export const spooledTopics = ['events', 'codes', 'catalog', 'issuances'] as const;
export type SpooledTopic = (typeof spooledTopics)[number];

export function brokerName(topic: Topic, prefix: string): string {
  return topicName(topic, { prefix, generation: 1 });
}

/** Whether a fact of that time is in the cut. Texts of one form compare as their times do. */
export function isInTime({ receivedAt }: Cut, at: string): boolean {
  return receivedAt === undefined || at <= receivedAt;
}

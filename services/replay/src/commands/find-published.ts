import { setTimeout as delay } from 'node:timers/promises';
import type { Positions } from '@tributary/contracts/admin/replay-results';
import { type CampaignRevisionRecord, catalogCodec } from '@tributary/contracts/catalog-record';
import { topicName } from '@tributary/contracts/topics';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { JobContext } from './job-kind.ts';
import { type Found, readBetween } from '../log/read-between.ts';
import type { ReplayTools } from './replay-tools.ts';

export type PublishedRevision = Found<CampaignRevisionRecord>;

/**
 * The revision as it stands on the log, after the place that its preview had read to. The portal
 * answers a commit before its outbox is empty, so it may take a moment to get there.
 *
 * @throws when it is not there after some minutes.
 */
export async function findPublished(
  { kafka }: Pick<ReplayTools, 'kafka'>,
  context: JobContext,
  asked: {
    prefix: string;
    from: Positions;
    revision: Pick<CampaignRevisionRecord, 'tenantId' | 'campaignId' | 'revision'>;
  },
): Promise<PublishedRevision> {
  const { prefix, from, revision } = asked;
  const { signal, logger } = context;
  const topic = topicName('catalog', { prefix, generation: 1 });
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) {
      throw new Error(
        `revision ${revision.revision} of campaign ${revision.campaignId} is not on the log`,
      );
    }
    context.progress({ phase: 'waiting for the revision on the log', done: 0, unit: 'records' });
    await delay(500, undefined, { signal });
  }

  async function look(): Promise<PublishedRevision | undefined> {
    const marks = await readWatermarks(kafka, [topic]);
    const to = Object.fromEntries([...marks].map(([place, { high }]) => [place, String(high)]));
    let first: PublishedRevision | undefined;
    await readBetween({
      ...{ kafka, logger, prefix, from, to, signal },
      topic: 'catalog',
      codec: catalogCodec,
      onRecord({ value, ...place }) {
        if (value.entity !== 'campaign-revision' || first) return;
        const { tenantId, campaignId, revision: number } = value;
        if (tenantId !== revision.tenantId || campaignId !== revision.campaignId) return;
        if (number === revision.revision) first = { ...place, value };
      },
    });
    return first;
  }
}

const patienceMs = 300_000;

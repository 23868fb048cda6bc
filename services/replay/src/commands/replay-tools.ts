import { join } from 'node:path';
import type { Positions } from '@tributary/contracts/admin/replay-results';
import { createInternalClient } from '@tributary/http/internal-client';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { foldHistory } from '../fold/fold-history.ts';
import { spoolHistory } from '../fold/spool-history.ts';
import type { FoldedState, Until } from '../fold/types.ts';
import type { JobContext } from './job-kind.ts';
import type { KindDeps } from './kinds.ts';
import { createDescribeDifferences } from '../live/describe-differences.ts';
import { createTakeLiveSnapshot } from '../live/take-live-snapshot.ts';
import type { DescribeDifferences, TakeLiveSnapshot } from '../domain/live-state.ts';
import { refuseLost } from './refuse-lost.ts';
import { createYieldToLive } from './yield-to-live.ts';

/** What verify, preview and the others are made of, wired to this deployment. */
export type ReplayTools = {
  kafka: KafkaConnection;
  takeLiveSnapshot: TakeLiveSnapshot;
  describeDifferences: DescribeDifferences;
  /** Reads what is not read yet, up to the ends as they are now. */
  spool(context: JobContext, asked: { tenantId?: string | undefined }): Promise<Positions>;
  fold(context: JobContext, asked: FoldAsked): Promise<FoldedState>;
};

export type FoldAsked = {
  until: Until;
  /** By which rules: those of what it is compared with, or a newer version that is previewed. */
  foldVersion: number;
  tenantId?: string | undefined;
  draft?: CampaignRevisionRecord | undefined;
};

export function createReplayTools({ settings, pool, logger }: KindDeps): ReplayTools {
  const kafka = createKafka({ settings: settings.kafka, clientId: 'replay', logger });
  const live = createYieldToLive({ kafka, pool, settings, logger });
  const [token = ''] = settings.internalTokens;
  const attribution = { service: 'attribution', baseUrl: settings.attributionUrl, token };
  const rewards = { service: 'rewards', baseUrl: settings.rewardsUrl, token };

  const historyOf = (context: JobContext) => ({
    // Shared by all phases of the job, so that the log is read once.
    dir: join(context.dir, 'history'),
    log: { kafka: settings.kafka, prefix: settings.topics.prefix },
    workers: settings.workers,
    yieldToLive: () => live.asks(),
    onProgress: (progress: Parameters<JobContext['progress']>[0]) => {
      const liveLag = live.lag();
      context.progress({ ...progress, ...(liveLag !== undefined && { liveLag }) });
    },
    signal: context.signal,
    logger: context.logger,
  });

  return {
    kafka,
    takeLiveSnapshot: createTakeLiveSnapshot({
      attribution,
      rewards,
      refuseLost: (generation) => refuseLost(pool, generation),
    }),
    describeDifferences: createDescribeDifferences({
      attribution: createInternalClient({ ...attribution, logger }),
      rewards: createInternalClient({ ...rewards, logger }),
    }),
    spool: (context, { tenantId }) => spoolHistory({ ...historyOf(context), until: {}, tenantId }),
    fold: (context, asked) => foldHistory({ ...historyOf(context), ...asked }),
  };
}

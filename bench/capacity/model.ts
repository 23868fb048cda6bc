import { figures } from './figures.ts';

export type Load = {
  /** Accepted events a second, each with an idempotency key. */
  perSecond: number;
  /** Facts that are kept. */
  facts: number;
};

export type Need = {
  what: string;
  value: number;
  unit: string;
  /** How it comes from the figures. */
  from: string;
};

const keySeconds = 72 * 3_600;
const day = 86_400;
/** Only this share of a core is planned with; the rest is for peaks and for catching up. */
export const plannedUse = 0.6;
const kafkaCopies = 3;

/** What a load needs, by the measured costs of one event and nothing else. */
export function needsOf({ perSecond, facts }: Load): Need[] {
  const f = figures;
  const cores = (us: number) => (perSecond * us) / 1e6 / plannedUse;
  const share = `${plannedUse * 100} % of a core used`;
  const webhooks = f.webhooks.value;
  const postgresUs = f.foldsPostgresUs.value + webhooks * f.dispatcherPostgresUs.value;
  const gb = (bytes: number) => bytes / 1e9;
  const bytesOf = (name: keyof typeof figures) => figures[name].value;
  return [
    need('cores of ingest-api', cores(f.ingestUs.value), 'cores', `ingestUs, ${share}`),
    need('cores of attribution', cores(f.attributionUs.value), 'cores', `attributionUs, ${share}`),
    need('cores of rewards', cores(f.rewardsUs.value), 'cores', `rewardsUs, ${share}`),
    need(
      'cores of webhook-dispatcher',
      cores(webhooks * f.dispatcherUs.value),
      'cores',
      `webhooks × dispatcherUs, ${share}`,
    ),
    need(
      'cores of Postgres, without read models',
      cores(postgresUs),
      'cores',
      `foldsPostgresUs + webhooks × dispatcherPostgresUs, ${share}`,
    ),
    need('cores of Kafka', cores(f.kafkaUs.value), 'cores', `kafkaUs, one copy, ${share}`),
    need('WAL', (perSecond * bytesOf('walBytes')) / 1e6, 'MB/s', 'walBytes'),
    need('WAL of a day', gb(perSecond * bytesOf('walBytes') * day), 'GB', 'walBytes × 86,400 s'),
    need('Redis', gb(perSecond * keySeconds * bytesOf('redisBytes')), 'GB', 'redisBytes × 72 h'),
    need('tables of the folds', gb(facts * bytesOf('foldTableBytes')), 'GB', 'foldTableBytes'),
    need(
      'tables of webhook-dispatcher',
      gb(facts * bytesOf('dispatchTableBytes')),
      'GB',
      'dispatchTableBytes, nothing deleted',
    ),
    need(
      'tables of the read models',
      gb(facts * bytesOf('readTableBytes')),
      'GB',
      'readTableBytes',
    ),
    need(
      'topics',
      gb(kafkaCopies * facts * bytesOf('topicBytes')),
      'GB',
      `topicBytes, ${kafkaCopies} copies`,
    ),
    need(
      'a rebuild on two cores',
      facts / f.rebuildPerSecond.value / 3_600,
      'hours',
      'rebuildPerSecond',
    ),
  ];
}

function need(what: string, value: number, unit: string, from: string): Need {
  return { what, value, unit, from };
}

import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import type { FirstPlaces } from './generations/places.ts';

/** All that the service and its jobs are told. Plain data: it travels to the process of a job. */
export type ReplaySettings = {
  host: string;
  adminPort: number;
  logLevel: string;
  /** Accepted from other services; the first is presented to them. */
  internalTokens: readonly string[];
  kafka: KafkaSettings;
  postgres: PostgresSettings;
  /** In the same database, like all of the next three. */
  generationsSchema: string;
  /** How the first generation is wired. */
  places: FirstPlaces;
  issuanceSchema: string;
  topics: TopicWiring;
  /** Internal listeners. */
  attributionUrl: string;
  rewardsUrl: string;
  /** Each job has a directory of its own below. */
  dir: string;
  workers: number;
  yieldLag: number;
  attributionGroup: string;
};

import type { PostgresSettings, ServiceSettings } from '@tributary/runtime/variables';

/** All that the service and its jobs are told. Plain data: it travels to the process of a job. */
export type ReplaySettings = ServiceSettings & {
  logLevel: string;
  /** Accepted from other services; the first is presented to them. */
  internalTokens: readonly string[];
  postgres: PostgresSettings;
  /** Databases that read models have of their own; the settings above hold for them, too. */
  readModelUrls: readonly string[];
  /** In the same database. */
  generationsSchema: string;
  /** Internal listeners. */
  attributionUrl: string;
  rewardsUrl: string;
  /** Each job has a directory of its own below. */
  dir: string;
  workers: number;
  yieldLag: number;
};

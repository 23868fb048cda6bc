import type { Logger } from '@tributary/runtime/logger';
import { createPool } from '@tributary/runtime/postgres';
import type pg from 'pg';
import type { ReplaySettings } from '../settings.ts';

/** One pool for each database that a read model has of its own. Whoever asks for them ends them. */
export function createReadModelPools(
  { readModelUrls, postgres }: ReplaySettings,
  options: { applicationName: string; logger: Logger },
): pg.Pool[] {
  return readModelUrls.map((url) => createPool({ ...postgres, url, poolSize: 2 }, options));
}

import { openGenerations } from '@tributary/generations/open-generations';
import { createLogger } from '@tributary/runtime/logger';
import type pg from 'pg';

/** The registry of generations, as the tool that makes and swaps them has it. */
export function openRegistry(url: string): Promise<pg.Pool> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  return openGenerations(
    { url, schema: 'generations' },
    { logger, onStop: () => undefined, service: 'test' },
  );
}

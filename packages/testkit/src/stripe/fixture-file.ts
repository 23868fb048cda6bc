import { join } from 'node:path';

/** Where the fixtures of this repository are; written by write-fixtures.ts. */
export const fixturesDirectory = join(import.meta.dirname, '..', '..', 'stripe-fixtures');

export type FixtureFile = {
  stripeMock: string;
  apiVersion: string;
  resources: Record<string, Record<string, unknown>>;
};

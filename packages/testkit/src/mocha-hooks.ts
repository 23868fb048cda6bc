import fc from 'fast-check';
import { stopServers } from './servers.ts';
import { testSeed } from './test-seed.ts';

// Loaded by .mocharc.json, so by every run of mocha in this repository.

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed });

/** The shared servers end with the run that started them. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopServers();
  },
};

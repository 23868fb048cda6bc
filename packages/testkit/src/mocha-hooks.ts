import { config } from 'chai';
import fc from 'fast-check';
import Mocha from 'mocha';
import { dropTemplates } from './database.ts';
import { patience } from './patience.ts';
import { stopServers } from './servers.ts';
import { testSeed } from './test-seed.ts';

// Loaded by .mocharc.json, so by every run of mocha in this repository.

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed });

// A failure that nobody can repeat must be told whole.
config.truncateThreshold = 0;

// How long a test or hook may take is multiplied where mocha reads it, so that it holds whether the
// run, a suite or the test itself says how long. (0 is for ever, and stays so.)
const runnable = Mocha.Runnable.prototype as unknown as { timeout: Timeout };
const original = runnable.timeout;
runnable.timeout = function (this: unknown, ...args: unknown[]) {
  const answer = original.apply(this, args);
  return typeof answer === 'number' ? answer * patience : answer;
};
type Timeout = (this: unknown, ...args: unknown[]) => unknown;

/** The shared servers end with the run that started them. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await dropTemplates();
    await stopServers();
  },
};

import { stopServers } from './servers.ts';

/** Loaded by .mocharc.json: the shared servers end with the run that started them. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopServers();
  },
};

import { createLogger } from '@tributary/runtime/logger';
import { expect } from 'chai';
import express from 'express';
import { createAdminApp } from './admin-listener.ts';
import { createGenerationRouter } from './generation-router.ts';
import { createInternalClient } from './internal-client.ts';
import { createRegistry } from './metrics.ts';
import { sendJson } from './problem-response.ts';
import type { Listener } from './server.ts';
import { serve } from './testing.ts';

describe('one service in two releases, each running a generation of its own', () => {
  const listeners: Listener[] = [];
  const asked: string[] = [];

  /** A process that runs this generation only, and is live itself or not. */
  async function start(generation: number, live: number): Promise<string> {
    const router = express.Router();
    router.post('/thing', (_req, res) => {
      asked.push(`g${generation}`);
      sendJson(res, 200, { by: generation });
    });
    const hosted = {
      get: (n: number) => (n === generation ? { router } : undefined),
      liveNumber: () => Promise.resolve(live),
    };
    const app = createAdminApp({
      service: 'demo',
      registry: createRegistry('demo'),
      checks: {},
      internal: { tokens: ['the-internal-token'], router: createGenerationRouter(hosted) },
    });
    const listener = await serve(app);
    listeners.push(listener);
    return `http://127.0.0.1:${listener.port}`;
  }

  /** An address at which nobody listens any more. */
  async function gone(): Promise<string> {
    const url = await start(9, 9);
    await listeners.pop()?.stop();
    return url;
  }

  const ask = (baseUrl: string, generation?: number) =>
    createInternalClient({
      service: 'demo',
      baseUrl,
      token: 'the-internal-token',
      logger: createLogger({ service: 'test', level: 'silent' }),
    }).post(['thing'], {}, { query: { generation } });

  beforeEach(() => void asked.splice(0));
  after(() => Promise.all(listeners.map((listener) => listener.stop())));

  it('is asked where the generation runs, once, in whatever order they are named', async () => {
    const [old, next] = [await start(1, 2), await start(2, 2)];
    for (const urls of [`${old},${next}`, `${next}, ${old}/`]) {
      expect(await ask(urls, 1)).to.have.nested.property('body.by', 1);
      expect(await ask(urls, 2)).to.have.nested.property('body.by', 2);
      expect(await ask(urls)).to.have.nested.property('body.by', 2);
    }
    expect(asked).to.deep.equal(['g1', 'g2', 'g2', 'g1', 'g2', 'g2']);
  });

  it('goes on to the next where nobody listens', async () => {
    const [next, nobody] = [await start(2, 2), await gone()];
    expect(await ask(`${nobody},${next}`, 2)).to.have.nested.property('body.by', 2);
    expect(await ask(`${next},${nobody}`, 2)).to.have.nested.property('body.by', 2);
  });

  it('says that it is run by none of them', async () => {
    const [old, next] = [await start(1, 1), await start(2, 1)];
    for (const urls of [`${old},${next}`, `${old},${await gone()}`]) {
      expect(await ask(urls, 3)).to.deep.equal({
        outcome: 'unavailable',
        detail: 'Generation 3 is not run by this process now.',
      });
    }
    expect(asked).to.deep.equal([]);
  });
});

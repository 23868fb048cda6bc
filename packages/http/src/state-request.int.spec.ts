import { once } from 'node:events';
import { createLogger } from '@tributary/runtime/logger';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createAdminApp } from './admin-listener.ts';
import { createInternalRouter, type InternalRoute } from './internal-router.ts';
import { createRegistry } from './metrics.ts';
import type { Listener } from './server.ts';
import { idsOf, narrowingOf, replyInChunks } from './state-request.ts';
import { serve } from './testing.ts';

const token = 'test-internal-token';

describe('internal answers in lines', () => {
  let listener: Listener;
  let made = 0;
  let ended = 0;

  async function* chunks(count: number, fails: boolean) {
    try {
      for (let i = 0; i < count; i += 1) {
        made += 1;
        await new Promise((resolve) => setImmediate(resolve));
        yield Buffer.from(`${i} ${'x'.repeat(10_000)}\n`);
      }
      if (fails) throw new Error('broken in the middle');
    } finally {
      ended += 1;
    }
  }

  before(async () => {
    const route = (path: string, answer: InternalRoute['answer']): InternalRoute => ({
      method: 'GET',
      path,
      answer,
    });
    const router = createInternalRouter(
      [
        route('/whole', () => replyInChunks(chunks(300, false))),
        route('/broken', () => replyInChunks(chunks(5, true))),
        route('/endless', () => replyInChunks(chunks(Infinity, false))),
        route('/never', () => replyInChunks(chunks(0, true))),
        route('/left', async ({ signal }) => {
          made += 1;
          await once(signal, 'abort');
          ended += 1;
          return { status: 200, body: {} };
        }),
      ],
      { logger: createLogger({ service: 'test', level: 'silent' }) },
    );
    const internal = { tokens: [token], router };
    const registry = createRegistry('test');
    listener = await serve(createAdminApp({ service: 'test', registry, checks: {}, internal }));
  });
  after(() => listener.stop());
  beforeEach(() => (made = ended = 0));

  const ask = (path: string, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${listener.port}/internal${path}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    });

  it('come whole, and break off without an end when what makes them fails', async () => {
    const whole = await (await ask('/whole')).text();
    expect(whole.split('\n')).to.have.length(301);
    const broken = await (await ask('/broken')).text().catch(() => 'broken off');
    expect(broken).to.equal('broken off');
    expect(ended).to.equal(2);
  });

  it('are a problem when they fail before the first one', async () => {
    expect((await ask('/never')).status).to.equal(500);
  });

  it('wait for a slow reader, and end when it leaves', async () => {
    const leaving = new AbortController();
    const { body } = await ask('/endless', leaving.signal);
    await body!.getReader().read();
    let before = -1;
    await eventually(() => {
      const now = made;
      const still = now === before;
      before = now;
      expect(still).to.equal(true);
    });
    leaving.abort();
    await eventually(() => expect(ended).to.equal(1));
  });

  it('are told to a route that is still waiting', async () => {
    const leaving = new AbortController();
    const asked = ask('/left', leaving.signal).catch(() => undefined);
    await eventually(() => expect(made).to.equal(1));
    leaving.abort();
    await asked;
    await eventually(() => expect(ended).to.equal(1));
  });

  it('are asked for by tenant, user and lists of ids', () => {
    expect(narrowingOf(new URLSearchParams('tenant=a&user=b%26'))).to.deep.equal({
      tenantId: 'a',
      userId: 'b&',
    });
    expect(narrowingOf(new URLSearchParams(''))).to.deep.equal({
      tenantId: undefined,
      userId: undefined,
    });
    expect(idsOf({ ids: ['a'] }, 'ids')).to.deep.equal(['a']);
    for (const json of [undefined, null, {}, { ids: [1] }, { ids: Array(201).fill('a') }]) {
      expect(idsOf(json, 'ids'), JSON.stringify(json)).to.equal(undefined);
    }
  });
});

import type { InternalReply } from '@tributary/http/internal-router';
import { expect } from 'chai';
import { type FoldedAccount, startFoldedAccount } from '../testing/folded-account.ts';
import { createReconcileRoutes } from './reconcile-routes.ts';

type ConnectionOptions = { tenantId: string; status: 'active' | 'disconnected' };

describe('the internal route of a reconciliation', function () {
  this.timeout(60_000);
  let world: FoldedAccount;
  let isCaughtUp = true;
  before(async () => {
    world = await startFoldedAccount({ shape: 'new' });
  });
  after(() => world.stop());
  beforeEach(() => {
    isCaughtUp = true;
  });

  const body = { kind: 'invoices', since: '2026-10-01T00:00:00.000Z', append: false };

  function ask(
    json: unknown,
    { tenantId = 'acme', status = 'active' }: Partial<ConnectionOptions> = {},
  ): Promise<InternalReply> {
    const { connection, pool, api, appender } = world;
    const [route] = createReconcileRoutes({
      ...{ db: pool, stripe: api, appender, processorTopic: 'processor' },
      now: () => world.now(),
      findConnection: (id) =>
        id === connection.connectionId ? { ...connection, status } : undefined,
      accountOf: () => world.asked,
      mayRead: () => isCaughtUp,
    });
    return route!.answer({
      param: (name) => (name === 'tenantId' ? tenantId : connection.connectionId),
      query: new URLSearchParams(),
      json,
      signal: AbortSignal.timeout(30_000),
    });
  }

  it('answers with a page', async () => {
    expect(await ask({ ...body, lookBackDays: 1 })).to.deep.equal({
      status: 200,
      body: {
        ...{ scanned: 0, findings: [], appended: 0, nextCursor: null },
        ...{ reachedAt: '2026-09-30T00:00:00Z', endsAt: '2026-09-30T00:00:00Z' },
      },
    });
  });

  it('looks back sixty days for invoices unless it is told otherwise', async () => {
    expect(await ask(body)).to.have.nested.property('body.endsAt', '2026-08-02T00:00:00Z');
  });

  it('knows no connection of another tenant, and asks nothing once it is disconnected', async () => {
    expect(await ask(body, { tenantId: 'initech' })).to.have.property('problem', 'NOT_FOUND');
    const disconnected = await ask(body, { status: 'disconnected' });
    expect(disconnected).to.have.property('problem', 'CONFLICT');
  });

  it('refuses what it does not understand', async () => {
    for (const json of [
      undefined,
      { ...body, kind: 'prices' },
      { ...body, since: '2026-10-01' },
      { ...body, since: '2026-13-01T00:00:00.000Z' },
      { ...body, append: 'yes' },
      { ...body, cursor: 'in_1' },
      { ...body, lookBackDays: -1 },
      { ...body, more: 1 },
    ]) {
      const refused = await ask(json);
      expect(refused, JSON.stringify(json)).to.have.property('problem', 'VALIDATION_ERROR');
    }
  });

  it('finds nothing missing before the log was read to its end', async () => {
    isCaughtUp = false;
    expect(await ask(body)).to.have.property('problem', 'SERVICE_UNAVAILABLE');
  });

  it('tells apart what is worth another try and what people must put right', async () => {
    const { stripe } = world;
    stripe.fail({ answer: 'server-error', times: 1 });
    expect(await ask(body)).to.have.property('problem', 'SERVICE_UNAVAILABLE');
    stripe.fail({ answer: 'forbidden', times: 1 });
    const refused = await ask(body);
    expect(refused).to.have.property('problem', 'CONFLICT');
    expect(refused)
      .to.have.property('detail')
      .that.matches(/^Stripe refuses: ./);
  });
});

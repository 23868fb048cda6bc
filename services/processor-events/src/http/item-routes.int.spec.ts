import type { InternalReply } from '@tributary/http/internal-router';
import { expect } from 'chai';
import { itemIdOf } from '../domain/item-of.ts';
import { createProcessorDatabase, type ProcessorDatabase } from '../testing/database.ts';
import { connection } from '../testing/fetch-world.ts';
import {
  at,
  connectionId,
  customer,
  fetched,
  invoice,
  monthlyPrice,
  received,
} from '../testing/records.ts';
import { readNeeds } from '../testing/tables.ts';
import { createItemRoutes } from './item-routes.ts';

describe('the routes of items', () => {
  let database: ProcessorDatabase;
  let mayWrite = true;
  let woken = 0;
  const itemId = (n: number) => itemIdOf('t1', 'invoice', `in_${n}`);

  before(async () => {
    database = await createProcessorDatabase();
    const none = customer('cus_2', { ucc: null, newUserId: null });
    await database.apply(
      ...[1, 2, 3].map((n) =>
        received(`evt_${n}`, invoice(`in_${n}`, `cus_${n}`), { receivedAt: at(n) }),
      ),
      fetched('cus_1', customer('cus_1'), at(1_000)),
      fetched('cus_1', monthlyPrice, at(1_000)),
      fetched('cus_2', none, at(1_000)),
      received('evt_4', invoice('in_4', 'cus_4'), { ignored: 'other-mode', receivedAt: at(4) }),
      received('evt_5', invoice('in_5', 'cus_5', { currency: 'zzz' }), { receivedAt: at(5) }),
      fetched('cus_5', customer('cus_5'), at(1_000)),
    );
  });
  after(() => database.drop());

  async function ask(path: string, json: unknown, tenantId = 't1'): Promise<InternalReply> {
    const routes = createItemRoutes({
      pool: database.pool,
      connections: () => [connection],
      mayWrite: () => mayWrite,
      onRetry: () => (woken += 1),
    });
    const [, id] = /^items\/([^/]+)\/[a-z]+$/.exec(path) ?? [];
    const wanted = `/tenants/:tenantId/${id === undefined ? path : path.replace(id, ':itemId')}`;
    const route = routes.find((one) => one.path === wanted)!;
    const params: Record<string, string> = { tenantId, itemId: id ?? '' };
    const { signal } = new AbortController();
    const query = new URLSearchParams();
    return route.answer({ param: (name) => params[name] ?? '', json, query, signal });
  }

  async function body<T>(path: string, json: unknown, tenantId?: string): Promise<T> {
    const reply = await ask(path, json, tenantId);
    expect(reply).to.include({ status: 200 });
    return (reply as { body: T }).body;
  }

  type Page = { items: { objectId: string }[]; nextCursor?: string };

  it('list what was known last first, page by page', async () => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page: Page = await body<Page>('items/search', { limit: 2, ...(cursor && { cursor }) });
      names.push(...page.items.map(({ objectId }) => objectId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).to.deep.equal(['in_5', 'in_4', 'in_3', 'in_2', 'in_1']);
  });

  it('list by state, reason, type, customer, connection and time, of one tenant only', async () => {
    const found = async (filter: object, tenantId?: string) =>
      (await body<Page>('items/search', { ...filter, limit: 10 }, tenantId)).items
        .map(({ objectId }) => objectId)
        .join();
    expect(await found({ state: 'reported' })).to.equal('in_1');
    expect(await found({ state: 'unmatched', reason: 'no-metadata' })).to.equal('in_2');
    expect(await found({ type: 'charge' })).to.equal('');
    expect(await found({ customerId: 'cus_3' })).to.equal('in_3');
    expect(await found({ connectionId, since: at(2), until: at(4) })).to.equal('in_3,in_2');
    expect(await found({ connectionId: 'another0000000000' })).to.equal('');
    expect(await found({}, 't2')).to.equal('');
  });

  it('show an item with its events, facts and questions', async () => {
    const reported = await body<Record<string, object[]>>(`items/${itemId(1)}/show`, {});
    expect(reported['item']).to.include({
      state: 'reported',
      amount: 4_900,
      currency: 'EUR',
      customerId: 'cus_1',
      knownSince: at(1),
      facts: 1,
    });
    expect(reported['events']).to.have.length(1);
    expect(reported['events']![0]).to.include({ processorEventId: 'evt_1', receivedAt: at(1) });
    expect(reported['facts']![0]).to.include({
      eventType: 'purchase-created',
      invoiceId: 'in_1',
      ucc: 'CODE1',
      amount: 4_900,
    });
    const waiting = await body<Record<string, object[]>>(`items/${itemId(2)}/show`, {});
    expect(waiting['needs']).to.deep.equal([
      { type: 'customer', id: 'cus_2', dueAt: at(60_002), attempts: 0, lastError: null },
    ]);
  });

  it('know no item of another tenant, and no body of another shape', async () => {
    expect(await ask(`items/${itemId(1)}/show`, {}, 't2')).to.include({ problem: 'NOT_FOUND' });
    expect(await ask('items/none/show', {})).to.include({ problem: 'NOT_FOUND' });
    for (const json of [{ limit: 0 }, { limit: 1, cursor: 'x' }, { limit: 1, states: 'x' }]) {
      expect(await ask('items/search', json)).to.include({ problem: 'VALIDATION_ERROR' });
    }
  });

  it('retry one at once, of one that needs nothing the object itself', async () => {
    expect(await body(`items/${itemId(2)}/retry`, {})).to.deep.equal({ retried: 1, more: false });
    expect(await body(`items/${itemId(5)}/retry`, {})).to.deep.equal({ retried: 1, more: false });
    expect(woken).to.equal(2);
    const { rows } = await database.pool.query(
      `select type || ':' || id as need from need where asked_for and due_at <= now() order by 1`,
    );
    expect(rows).to.deep.equal([{ need: 'customer:cus_2' }, { need: 'invoice:in_5' }]);
    // What somebody asked for stays when records of the subject come in between, until it is read.
    await database.apply(
      received('evt_6', invoice('in_6', 'cus_5', { currency: 'zzz' }), { receivedAt: at(1_100) }),
    );
    expect(await readNeeds(database.pool)).to.include('invoice:in_5');
    await database.apply(
      fetched('cus_5', invoice('in_5', 'cus_5', { currency: 'zzz' }), at(2_000)),
    );
    expect(await readNeeds(database.pool)).not.to.include('invoice:in_5');
  });

  it('retry nothing that is reported or of the other mode', async () => {
    for (const n of [1, 4]) {
      expect(await ask(`items/${itemId(n)}/retry`, {})).to.include({ problem: 'CONFLICT' });
    }
  });

  it('retry many, each once', async () => {
    await database.pool.query('update item set retried_at = null');
    const all: unknown[] = [];
    for (let more = true; more;) {
      const answer = await body<{ retried: number; more: boolean }>('items/retry', { limit: 2 });
      all.push(answer.retried);
      ({ more } = answer);
    }
    // in_2, in_3, in_5 and in_6.
    expect(all).to.deep.equal([2, 2]);
    expect(await body('items/retry', { limit: 2 })).to.deep.equal({ retried: 0, more: false });
  });

  it('retry nothing before the log was read', async () => {
    mayWrite = false;
    for (const path of [`items/${itemId(2)}/retry`, 'items/retry']) {
      const json = path === 'items/retry' ? { limit: 1 } : {};
      expect(await ask(path, json)).to.include({ problem: 'SERVICE_UNAVAILABLE' });
    }
    mayWrite = true;
  });

  it('say how each connection fares', async () => {
    const { connections } = await body<{ connections: object[] }>('connections/status', {});
    expect(connections).to.deep.equal([
      {
        connectionId,
        lastEventAt: at(1_100),
        usualGapSeconds: null,
        silent: false,
        failing: null,
        items: { reported: 1, waiting: 1, unmatched: 4, ignored: 0 },
      },
    ]);
    expect(await body('connections/status', {}, 't2')).to.deep.equal({ connections: [] });
  });
});

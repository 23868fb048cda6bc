import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type ProcessorListener, startProcessorListener } from '../testing/processor-listener.ts';
import { decisionOn, notAttributed, onLog, purchase, refund, uuid } from '../testing/scenario.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

type Page = { items: Record<string, unknown>[]; nextCursor: string | null };

describe('portal: what became of payments at the processor', function () {
  this.timeout(60_000);
  let portal: TestPortal;
  let processor: ProcessorListener;
  const itemId = '8f14e45f-ceea-567a-9f3c-0d1f2a3b4c5d';
  const connectionId = 'c0nnection0000000';
  const list = '/api/tenants/acme/processor-items';

  before(async () => {
    processor = await startProcessorListener();
    portal = await startTestPortal({ processorUrl: processor.url });
    await portal.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
    const source = 'processor' as const;
    const unknown = [
      { ...purchase(1, { invoiceId: 'in_1', amount: 4_900, ucc: 'NOBODY' }), source },
      { ...refund(2, { invoiceId: 'in_1', amount: 900, ucc: 'NOBODY' }), source },
      { ...purchase(3, { invoiceId: 'in_3', ucc: 'NOONE' }), source },
    ];
    // Neither is of the processor and of an unknown code.
    const others = [
      { ...purchase(4, { invoiceId: 'in_4' }), source },
      purchase(5, { ucc: 'NOBODY' }),
    ];
    await portal.publish(
      [...unknown, ...others].flatMap((event) => [
        onLog.event(event),
        onLog.decision(
          event.eventId === uuid(4)
            ? decisionOn(event)
            : notAttributed(event, { reason: 'unknown-code' }),
        ),
      ]),
    );
    await eventually(async () => {
      const { body } = await portal.call('GET', '/api/tenants/acme/events');
      const decided = (body['events'] as { outcome: string }[]).filter(
        ({ outcome }) => outcome !== 'pending',
      );
      expect(decided).to.have.length(5);
    });
  });
  beforeEach(() => processor.forget());
  after(async () => {
    await portal.stop();
    await processor.stop();
  });

  async function get(query: string): Promise<Page> {
    const { status, body } = await portal.call('GET', `${list}?${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Page;
  }
  const found = (items: object[], nextCursor?: string) =>
    void processor.replies.set('search', { status: 200, body: { items, nextCursor } });
  const idsOf = ({ items }: Page) => items.map((item) => item['eventId'] ?? item['itemId']);

  it('is asked of processor-events, with times as UTC and cursors in its own words', async () => {
    found([{ itemId: 'a' }], 'their cursor');
    const first = await get('reason=no-metadata&type=charge&customerId=cus%201&limit=1');
    expect(idsOf(first)).to.deep.equal(['a']);
    await get(
      `since=2026-03-01T12:00:00%2B01:00&connectionId=${connectionId}&cursor=${first.nextCursor}`,
    );
    const what = 'acme items search';
    expect(processor.asked).to.deep.equal([
      { what, body: { reason: 'no-metadata', type: 'charge', customerId: 'cus 1', limit: 1 } },
      {
        what,
        body: {
          since: '2026-03-01T11:00:00.000Z',
          connectionId,
          limit: 50,
          cursor: 'their cursor',
        },
      },
    ]);
  });

  it('lists payments of unknown codes after the unmatched items, on pages of one list', async () => {
    found([{ itemId: 'a' }], 'more');
    const first = await get('state=unmatched&limit=2');
    expect(idsOf(first)).to.deep.equal(['a']);
    found([{ itemId: 'b' }]);
    const second = await get(`state=unmatched&limit=2&cursor=${first.nextCursor}`);
    expect(idsOf(second)).to.deep.equal(['b', uuid(3)]);
    processor.forget();
    const third = await get(`state=unmatched&limit=2&cursor=${second.nextCursor}`);
    expect(idsOf(third)).to.deep.equal([uuid(2), uuid(1)]);
    expect([third.nextCursor, processor.asked]).to.deep.equal([null, []]);
  });

  it('begins the second part on a page of its own where the first ends with a full one', async () => {
    found([{ itemId: 'a' }]);
    const first = await get('state=unmatched&limit=1');
    expect(idsOf(first)).to.deep.equal(['a']);
    const second = await get(`state=unmatched&limit=200&cursor=${first.nextCursor}`);
    expect(idsOf(second)).to.deep.equal([uuid(3), uuid(2), uuid(1)]);
  });

  it('lists unknown codes alone, from the read model, in the period of receipt', async () => {
    const all = await get('reason=unknown-code');
    expect(idsOf(all)).to.deep.equal([uuid(3), uuid(2), uuid(1)]);
    expect(all.items[1]).to.include({
      type: 'purchase-refunded',
      objectId: 'in_1',
      state: 'unmatched',
      reason: 'unknown-code',
      ucc: 'NOBODY',
      amount: 900,
      currency: 'EUR',
    });
    const some = 'reason=unknown-code&since=2026-03-01T12:00:02Z&until=2026-03-01T12:00:03Z';
    expect(idsOf(await get(some))).to.deep.equal([uuid(2)]);
    expect(processor.asked).to.deep.equal([]);
  });

  it('leaves them out where a filter knows none of them', async () => {
    found([]);
    for (const query of ['state=reported', 'state=unmatched&type=invoice', 'limit=3']) {
      expect(await get(query), query).to.deep.equal({ items: [], nextCursor: null });
    }
  });

  it('shows one, retries one or all, and hands the answers on', async () => {
    await portal.call('GET', `${list}/${itemId}`);
    await portal.call('POST', `${list}/${itemId}/retry`);
    const all = await portal.call('POST', `${list}/retry`, { reason: 'no-code', limit: 7 });
    expect(all.body).to.deep.equal({ answered: 'retry' });
    await portal.call('POST', `${list}/retry`);
    expect(processor.asked).to.deep.equal([
      { what: `acme items ${itemId} show`, body: {} },
      { what: `acme items ${itemId} retry`, body: {} },
      { what: 'acme items retry', body: { reason: 'no-code', limit: 7 } },
      { what: 'acme items retry', body: { limit: 500 } },
    ]);
    processor.replies.set('show', { problem: 'NOT_FOUND', detail: 'There is no such item.' });
    const missing = await portal.call('GET', `${list}/${itemId}`);
    expect([missing.status, missing.body['detail']]).to.deep.equal([404, 'There is no such item.']);
  });

  it('refuses what cannot be asked, and asks nobody', async () => {
    found([{ itemId: 'a' }], 'more');
    const { nextCursor } = await get('limit=1');
    processor.forget();
    const examples: [string, string[]][] = [
      [
        'state=lost&reason=A&type=x&connectionId=C1&since=soon&cursor=x&what=1',
        ['connectionId', 'cursor', 'reason', 'since', 'state', 'type', 'what'],
      ],
      [
        'reason=unknown-code&type=charge&customerId=c&state=waiting',
        ['customerId', 'state', 'type'],
      ],
      [`reason=unknown-code&cursor=${nextCursor}`, ['cursor']],
    ];
    for (const [query, names] of examples) {
      const { status, body } = await portal.call('GET', `${list}?${query}`);
      const wrong = body.errors?.map(({ pointer }) => pointer.slice(1)).sort();
      expect([status, wrong], query).to.deep.equal([422, names]);
    }
    const calls = [
      ['GET', '/api/tenants/nobody/processor-items'],
      ['GET', `${list}/1`],
      ['POST', `${list}/1/retry`],
      ['POST', '/api/tenants/nobody/processor-items/retry'],
    ] as const;
    for (const [method, path] of calls) {
      expect((await portal.call(method, path)).status, path).to.equal(404);
    }
    expect(processor.asked).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary processor items, item and retry', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());
  const run = (...argv: string[]) => api.run(['processor', ...argv, '--tenant', 'acme']);
  const at = '/api/tenants/acme/processor-items';

  const item = {
    ...{ itemId: 'i1', type: 'invoice', objectId: 'in_1', state: 'unmatched' },
    ...{ reason: 'no-metadata', customerId: 'cus_1', receivedAt: '2026-03-01T12:00:00.000Z' },
  };

  it('lists with filters, and says how to go on', async () => {
    api.replyWith({ items: [item, { ...item, reason: null }], nextCursor: 'abc' });
    const { code, out } = await run(
      ...['items', '--state', 'unmatched', '--reason', 'no-metadata', '--type', 'invoice'],
      ...['--customer', 'cus&1', '--connection', 'c1', '--since', '2026-03-01T00:00:00Z'],
      ...['--limit', '2'],
    );
    expect(code).to.equal(0);
    const [head, first, second, more] = out.split('\n');
    expect(head).to.match(/^itemId +type +objectId +state +reason +customerId +receivedAt/);
    expect(first).to.match(/^i1 +invoice +in_1 +unmatched +no-metadata +cus_1/);
    expect(second).to.match(/unmatched +- +cus_1/);
    expect(more).to.equal('There are more: --cursor abc');
    expect(api.requests).to.deep.equal([
      `GET ${at}?state=unmatched&reason=no-metadata&type=invoice&since=2026-03-01T00%3A00%3A00Z` +
        '&limit=2&customerId=cus%261&connectionId=c1',
    ]);
    api.replyWith({ items: [], nextCursor: null });
    expect((await run('items')).out).to.equal('No items.\n');
  });

  it('shows one with what Stripe reported, its facts and what is asked for', async () => {
    const need = { type: 'customer', id: 'cus_1', dueAt: '2026-03-01T13:00:00.000Z', attempts: 2 };
    api.replyWith({
      item: { ...item, object: { object: 'invoice', id: 'in_1', amountPaid: 4900 } },
      events: [{ processorEventId: 'evt_1', kind: 'invoice.paid' }],
      facts: [{ eventId: 'f1', purchase: { amount: 4900, aliases: ['ch_1'] } }],
      needs: [{ ...need, lastError: 'down\u001b[2J' }],
    });
    const { out } = await run('item', 'i/1');
    expect(api.requests).to.deep.equal([`GET ${at}/i%2F1`]);
    expect(out)
      .to.match(/^Item i1\n/)
      .and.match(/As Stripe reported it\n(.*\n)* +amountPaid +4900\n/)
      .and.match(/Events\nprocessorEventId +kind\nevt_1 +invoice\.paid\n/)
      .and.match(/Fact f1\n(.*\n)* +purchase\.amount +4900\n/)
      .and.match(/Stripe is asked for\ntype +id .*\ncustomer +cus_1 .* 2 +down\ufffd\[2J\n$/);
    api.replyWith({ item, events: [], facts: [], needs: [] });
    expect((await run('item', 'i1')).out).to.contain('No facts yet.');
  });

  it('retries one', async () => {
    api.replyWith({ retried: 1 });
    const { code, out } = await run('retry', 'i1');
    expect([code, api.requests]).to.deep.equal([0, [`POST ${at}/i1/retry {}`]]);
    expect(out).to.match(/^Stripe is asked again\n/);
  });

  it('retries all until none is left', async () => {
    const answers = [
      { retried: 100, more: true },
      { retried: 20, more: false },
    ];
    api.replyWith(() => ({ status: 200, body: answers.shift()! }));
    const { code, out } = await run('retry', '--all', '--reason', 'no-metadata');
    expect([code, out.split('\n').at(-2)]).to.deep.equal([0, 'Stripe is asked again for 120.']);
    const request = `POST ${at}/retry {"reason":"no-metadata"}`;
    expect(api.requests).to.deep.equal([request, request]);
  });

  it('does not go round for ever when nothing is retried', async () => {
    api.replyWith({ retried: 0, more: true });
    const { code, err } = await run('retry', '--all');
    expect([code, api.requests.length]).to.deep.equal([1, 1]);
    expect(err).to.contain('retries none');
  });

  it('ends after the call under way at Ctrl-C', async () => {
    let interrupt: (() => void) | undefined;
    api.replyWith(() => {
      interrupt?.();
      return { status: 200, body: { retried: 100, more: true } };
    });
    const { code, out } = await api.run(['processor', 'retry', '--all', '--tenant', 'acme'], {
      onInterrupt(listener) {
        interrupt = listener;
        return () => undefined;
      },
    });
    expect([code, api.requests.length]).to.deep.equal([1, 1]);
    expect(out).to.contain('Ended by Ctrl-C after 100.');
  });

  it('sends nothing when it is not said which', async () => {
    for (const args of [['retry'], ['retry', 'i1', '--all'], ['retry', 'i1', '--reason', 'x']]) {
      expect((await run(...args)).code, args.join(' ')).to.equal(2);
    }
    expect(api.requests).to.deep.equal([]);
  });
});

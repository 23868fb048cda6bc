import { expect } from 'chai';
import { type AskedDispatcher, createAskedDispatcher } from '../testing/asked-dispatcher.ts';
import { endpointRecord, incomingEndpoints, incomingTenant } from '../testing/facts.ts';

describe('a test of an endpoint', () => {
  let dispatcher: AskedDispatcher;

  before(async () => {
    dispatcher = await createAskedDispatcher();
  });
  beforeEach(() => dispatcher.renew());
  after(() => dispatcher.end());

  it('goes the way of real ones, is of a type that receivers ignore, and leaves no trace', async () => {
    const until = '2027-03-01T00:00:00.000Z';
    const previous = { username: 'old', sealedPassword: 'v1.old', until };
    const endpoint = endpointRecord('t1', { status: 'paused', previous });
    await dispatcher.database.apply(...incomingEndpoints(endpoint));
    const answer = { statusCode: 204, headers: [], body: '', cut: false };
    dispatcher.answer = { end: 'answered', statusCode: 204, answer };
    const [status, result] = await dispatcher.ask(['webhook', 'test'], {});
    expect(status).to.equal(200);
    expect(result).to.deep.include({
      delivered: true,
      result: 'status',
      statusCode: 204,
      answer,
    });
    const { url, username, sealedPassword } = endpoint;
    expect(dispatcher.sent[0]!.endpoint).to.deep.equal({
      ...{ tenantId: 't1', url, username, sealedPassword },
      previous: { ...previous, until: new Date(until) },
    });
    const body = JSON.parse(dispatcher.sent[0]!.body.toString()) as Record<string, unknown>;
    expect(body).to.include({ eventType: 'webhook-test', eventId: result['eventId'] });
    const { rows } = await dispatcher.database.pool.query(
      'select from delivery union all select from attempt',
    );
    expect(rows).to.deep.equal([]);
  });

  it('tells why there was no answer', async () => {
    await dispatcher.database.apply(...incomingEndpoints(endpointRecord('t1')));
    dispatcher.answer = { end: 'no-answer', result: 'blocked', detail: 'a private address' };
    const [, result] = await dispatcher.ask(['webhook', 'test'], {});
    const recorded = { delivered: false, result: 'blocked', detail: 'a private address' };
    expect(result).to.include(recorded);
  });

  it('conflicts while the tenant is suspended, and sends nothing', async () => {
    await dispatcher.database.apply(...incomingEndpoints(endpointRecord('t1')));
    await dispatcher.database.apply(incomingTenant('t1', 'suspended', 2));
    const sent = dispatcher.sent.length;
    const detail = 'This tenant is suspended: nothing is sent to it until it is resumed.';
    expect(await dispatcher.ask(['webhook', 'test'], {})).to.deep.equal([409, { detail }]);
    expect(dispatcher.sent).to.have.length(sent);
  });

  it('conflicts when there is nowhere to send it', async () => {
    const disabled = endpointRecord('t2', { status: 'disabled' });
    await dispatcher.database.apply(...incomingEndpoints(disabled));
    const detail = 'This tenant has no webhook endpoint, or it is disabled.';
    for (const tenantId of ['t1', 't2']) {
      expect(await dispatcher.ask(['webhook', 'test'], {}, tenantId)).to.deep.equal([
        409,
        { detail },
      ]);
    }
  });
});

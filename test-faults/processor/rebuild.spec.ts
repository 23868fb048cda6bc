import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { connectionOf } from './connections.ts';
import { expectSameState, readState, searchItems, type State } from './state.ts';
import { expectAllReported, liveSome, type Reported } from './report-lives.ts';
import { createWorld, type World } from './world.ts';

/**
 * The schema is gone, and is folded again from the log: to the same state, without asking Stripe
 * again.
 */
describe('processor-events on an empty database', function () {
  this.timeout(180_000);
  const connections = [
    connectionOf('t-old', { shape: 'old', taxPolicy: 'net' }),
    connectionOf('t-new', { shape: 'new', taxPolicy: 'gross' }),
  ];
  let world: World;
  let reported: Reported[];
  let stateBefore: State;
  let stateAfter: State;
  let eventsBefore: number;

  before(async () => {
    world = await createWorld({ connections });
    const first = await world.start();
    await first.ready();
    reported = connections.map((connection) => liveSome(world, connection, { lives: 5 }));
    await Promise.all(
      reported.map(({ connection, events }) => world.deliver(connection, events, { atOnce: 4 })),
    );
    await addUnmatched();
    await expectAllReported(world, reported);
    stateBefore = await readState(world, connections);
    eventsBefore = await world.countOf('processor');
    first.signal('SIGTERM');
    await first.exited;
    await world.db.query('drop schema processor cascade');
    world.stripe.forgetRequests();
    await (await world.start()).ready();
    await world.atRest();
    stateAfter = await readState(world, connections);
  });
  after(() => world?.stop());

  /** Nobody referred this one. */
  async function addUnmatched(): Promise<void> {
    const { account } = world.stripe;
    for (const connection of connections) {
      const { id: customerId } = account.customer();
      const lines = [{ amount: 4_900 }];
      const { event } = account.paidInvoice({ customerId, currency: 'eur', lines });
      await world.deliver(connection, [event]);
      reported.push({ connection, lives: [], events: [event] });
      await eventually(async () => {
        const { items } = await searchItems(world, connection.tenantId, { state: 'unmatched' });
        expect(items).to.have.length(1);
      });
    }
  }

  it('has the same items, facts and needs as before', () => {
    expect(stateBefore.items.length).to.be.greaterThan(20);
    expectSameState(stateAfter, stateBefore);
  });

  it('asks Stripe nothing that was answered', () => {
    expect(world.stripe.requests().map(({ method, path }) => `${method} ${path}`)).to.deep.equal(
      [],
    );
  });

  it('writes nothing to the topic that it is folded from', async () => {
    expect(await world.countOf('processor')).to.equal(eventsBefore);
  });

  it('goes on: the one that was unmatched resolves when its metadata appears', async () => {
    const [connection] = connections;
    const { account } = world.stripe;
    const { items } = await searchItems(world, connection!.tenantId, { state: 'unmatched' });
    const { customerId, itemId } = items[0]!;
    account.updateCustomer(customerId!, { service_ucc: 'ucc-late', new_user_id: 'user-late' });
    await world.ask(`tenants/${connection!.tenantId}/items/${itemId}/retry`);
    await eventually(async () => {
      const found = [...(await world.facts()).values()].filter(({ ucc }) => ucc === 'ucc-late');
      expect(found).to.have.length(1);
    });
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

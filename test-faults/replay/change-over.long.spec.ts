import type { EventRecord } from '@tributary/contracts/event-record';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import { findWrongBooks } from '../chain/books.ts';
import { readState } from '../chain/current-state.ts';
import { createRandom } from '../chain/random.ts';
import { makeWorld } from '../chain/world.ts';
import { flow } from './flow.ts';
import { startSystem, type System } from './system.ts';

/**
 * What runbook fold-fixed does, from the command line to the customer's receiver: live holds a
 * wrong decision, the next generation is built, made live, given back, made live again and the old
 * one dropped, while facts arrive all the time and processes are killed.
 */
describe('a change of generations, seen at the receiver', function () {
  this.timeout(400_000);
  const world = makeWorld(testSeed + 1, 6_000);
  const events = createRandom(testSeed + 1).shuffle(world.events);
  let system: System;
  let flowing: ReturnType<typeof flow>;

  before(async () => {
    const tenantIds = ['t-event', 't-first'];
    system = await startSystem([...world.catalog, ...world.codes], tenantIds);
    await system.topics.append(events.slice(0, 600));
    await system.atRest();
    // As a bug in the fold would have left it. What comes later of its user or invoice would have
    // it decided again, and put right, so none of that follows.
    const [wrong] = await system.query<{ event_id: string }>(
      `update attribution_g1.fact set digest = sha256(digest)
       where event_id = (select min(event_id) from attribution_g1.fact) returning event_id`,
    );
    const touched = events.find(({ eventId }) => eventId === wrong?.event_id);
    expect(touched).to.not.equal(undefined);
    const others = events.slice(600).filter((event) => !isAboutTheSame(event, touched!));
    flowing = flow(system.topics, others, 40);
  });
  after(async () => {
    await flowing?.end();
    await system?.stop();
  });

  it('finds live different, and builds a generation that is not', async () => {
    const verified = await system.tributary(['replay', 'verify']);
    expect(verified.code, verified.out + verified.err).to.equal(1);
    const rebuilt = await system.tributary(['replay', 'rebuild', '--by', 'eva']);
    expect(rebuilt.code, rebuilt.out + rebuilt.err).to.equal(0);
    const two = await system.tributary(['replay', 'verify', '--generation', '2']);
    expect(two.code, two.out + two.err).to.equal(0);
  });

  it('makes it live while a fold and the replay itself are killed', async () => {
    const swapped = system.tributary(['replay', 'swap', '2', '--by', 'eva']);
    for (const name of ['rewards', 'replay'] as const) {
      const process = system.services[name].replicas[0]!;
      await process.kill('SIGKILL');
      await process.restart();
    }
    const { code, out, err } = await swapped;
    expect(code, out + err).to.equal(0);
    expect(await live()).to.equal(2);
    const verified = await system.tributary(['replay', 'verify']);
    expect(verified.code, verified.out + verified.err).to.equal(0);
  });

  it('goes back to the one before, and forward again', async () => {
    for (const argv of [['rollback'], ['swap', '2']]) {
      const { code, out, err } = await system.tributary(['replay', ...argv, '--by', 'eva']);
      expect(code, out + err).to.equal(0);
      expect(await live()).to.equal(argv[0] === 'rollback' ? 1 : 2);
    }
  });

  it('does not drop the live one, and drops the other', async () => {
    const refused = await system.tributary(['replay', 'drop', '2', '--by', 'eva']);
    expect(refused.code).to.equal(1);
    const dropped = await system.tributary(['replay', 'drop', '1', '--by', 'eva']);
    expect(dropped.code, dropped.out + dropped.err).to.equal(0);
    expect((await system.query(`select to_regnamespace('rewards_g1') as name`))[0]).to.deep.equal({
      name: null,
    });
  });

  it('has decided every event once, and delivered everything granted once', async () => {
    const came = await flowing.end();
    await system.atRest();
    const facts = new Set([...events.slice(0, 600), ...came].map(({ eventId }) => eventId));
    const state = await readState(system.db(), 2);
    expect([...state.decisions.keys()].sort()).to.deep.equal([...facts].sort());
    expect(await findWrongBooks(system.db(), 2)).to.deep.equal([]);
    const granted = await system.query<{ id: string }>(
      'select webhook_event_id::text as id from issuance.issuance order by 1',
    );
    const received = system.receiver.arrivals.map(({ eventId }) => eventId).sort();
    expect(granted.length).to.be.above(100);
    expect(received).to.deep.equal(granted.map(({ id }) => id));
    const verified = await system.tributary(['replay', 'verify']);
    expect(verified.out).to.match(/^Identical: generation 2/m);
  });

  async function live(): Promise<number> {
    const sql = 'select generation from generations.live_generation';
    return (await system.query<{ generation: number }>(sql))[0]!.generation;
  }
});

function isAboutTheSame(a: EventRecord, b: EventRecord): boolean {
  if (a.tenantId !== b.tenantId) return false;
  const invoice = invoiceOf(a);
  return a.newUser.id === b.newUser.id || (invoice !== undefined && invoice === invoiceOf(b));
}

function invoiceOf(event: EventRecord): string | undefined {
  if (event.eventType === 'purchase-created') return event.purchase.invoiceId;
  return event.eventType === 'purchase-refunded' ? event.refund.invoiceId : undefined;
}

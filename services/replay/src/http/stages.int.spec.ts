import { registerStage } from '@tributary/generations/stage-registry';
import { expect } from 'chai';
import { createReplayFleet, type Replica, type ReplayFleet } from '../testing/replay-fleet.ts';

describe('replay: how far the stages of the live generation are', () => {
  let fleet: ReplayFleet;
  let one: Replica;
  before(async () => {
    fleet = await createReplayFleet();
    one = await fleet.launch();
  });
  after(() => fleet.end());

  it('has each that registered itself, and does not know what one has read that never ran', async () => {
    const before = await one.ask('GET', 'stages');
    expect(before.body).to.deep.include({ generation: 1, stages: [] });
    const client = await fleet.pool.connect();
    await client.query('set search_path to generations');
    await registerStage(client, {
      ...{ name: 'attribution', schema: 'attribution', group: 'attribution' },
      ...{ projection: 'attribution', topics: ['events', 'codes'] },
    });
    client.release(true);
    const { status, body } = await one.ask('GET', 'stages');
    expect(status).to.equal(200);
    const attribution = { stage: 'attribution', read: null, total: 0, unknown: null };
    expect(body).to.deep.include({ stages: [attribution] });
  });
});

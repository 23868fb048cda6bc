import { addGeneration, flipLive } from '@tributary/generations/registry';
import { createInternalClient } from '@tributary/http/internal-client';
import { createLogger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';
import { openRegistry } from '../testing/open-registry.ts';
import {
  internalToken,
  openTopics,
  runRewards,
  type TestTopics,
} from '../testing/running-rewards.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('rewards service and operators', () => {
  let database: TestDatabase;
  let topics: TestTopics;
  let service: Awaited<ReturnType<typeof runRewards>>;

  before(async () => {
    database = await createDatabase();
    topics = await openTopics((await getServers()).kafkaBrokers, uniquePrefix());
    const [rule] = revisionOf().rules;
    await topics.publish(revisionOf({ rules: [{ ...rule!, holdDays: 30 }] }));
    service = await runRewards({ topics, url: database.url });
  });

  after(async () => {
    await service.stop();
    await topics.close();
    await database.drop();
  });

  async function act(rewardId: string, verb: 'release' | 'withhold') {
    const client = createInternalClient({
      service: 'rewards',
      baseUrl: service.adminUrl,
      token: internalToken,
      logger,
    });
    return client.post(['tenants', 't1', 'rewards', rewardId, verb], { by: 'ops' });
  }

  async function stateOf(eventId: string) {
    const all = (await topics.rewards()).filter((reward) => reward.eventId === eventId);
    return all.sort((a, b) => b.version - a.version)[0];
  }

  const deadline = { deadlineMs: 40_000 };

  it('takes an operator action, publishes what comes of it, and honours it when everything is rebuilt', async () => {
    // Received now: only an operator ends the hold while this runs.
    const receivedAt = new Date().toISOString();
    const kept = purchaseDecision(1, { receivedAt });
    const freed = purchaseDecision(2, { receivedAt });
    await topics.decide(kept, freed);
    const [first, second] = await eventually(async () => {
      const found = [await stateOf(kept.eventId), await stateOf(freed.eventId)];
      expect(found.map((reward) => reward?.state)).to.deep.equal(['held', 'held']);
      return found;
    }, deadline);
    await eventually(async () => {
      const withheld = await act(first!.rewardId, 'withhold');
      expect(withheld).to.have.property('outcome', 'answered');
    }, deadline);
    expect(await act(second!.rewardId, 'release')).to.have.property('outcome', 'answered');
    await eventually(async () => {
      const found = [await stateOf(kept.eventId), await stateOf(freed.eventId)];
      expect(found.map((reward) => reward?.state)).to.deep.equal(['withheld', 'issued']);
      const types = (await topics.facts()).map((fact) => fact.type);
      expect(types.sort()).to.deep.equal(['issued', 'released', 'withheld']);
    }, deadline);

    await service.stop();
    const registry = await openRegistry(database.url);
    await registry.query('drop schema rewards_g1 cascade');
    await registry.query('drop schema issuance cascade');
    await topics.makeGeneration(2);
    await addGeneration(registry, { number: 2, foldVersion: 2 });
    await inTransaction(registry, (tx) => flipLive(tx, { from: 1, to: 2 }));
    await registry.end();
    service = await runRewards({ topics, url: database.url });
    await eventually(async () => {
      // Numbered after the actions on the log: the third fact about the first reward.
      const answer = await act(first!.rewardId, 'withhold');
      expect(answer).to.have.nested.property('body.action', 'withheld');
    }, deadline);
    expect(await act(second!.rewardId, 'release')).to.have.property('outcome', 'answered');
    const types = (await topics.facts()).map((fact) => fact.type);
    expect(types.sort()).to.deep.equal(['issued', 'released', 'withheld']);
    await act(first!.rewardId, 'release');
    await eventually(async () => {
      const facts = await topics.facts();
      expect(facts.filter((fact) => fact.type === 'issued')).to.have.length(2);
      const words = facts.flatMap((fact) =>
        fact.type !== 'issued' && fact.rewardId === first!.rewardId ? [fact.sequence] : [],
      );
      expect(words.sort()).to.deep.equal([1, 2]);
    }, deadline);
  });
});

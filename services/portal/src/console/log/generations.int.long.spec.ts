import { countMembers } from '@tributary/event-log/remove-from-brokers';
import { silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import {
  addGeneration,
  flipLive,
  removeGeneration,
  setGenerationStatus,
} from '@tributary/generations/registry';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type pg from 'pg';
import { scenario } from '../../testing/scenario.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';

type Item = Record<string, unknown>;

describe('portal: generations of the folds', () => {
  const { records } = scenario();
  const facts = records.filter(({ topic }) => topic !== 'attributions' && topic !== 'rewards');
  const said = records.filter(({ topic }) => topic === 'attributions' || topic === 'rewards');
  let portal: TestPortal;
  let registry: pg.Pool;
  before(async () => {
    portal = await startTestPortal();
    registry = createPool(
      { url: portal.postgresUrl, schema: 'generations', poolSize: 2 },
      { applicationName: 'test', logger: silentLogger },
    );
    await portal.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
    await portal.publish(facts.filter((record) => record.topic !== 'catalog'));
    await eventually(async () => expect(await outcomes()).to.have.lengthOf(5));
    await build(2);
    await portal.publish(said, 2);
  });
  after(async () => {
    await registry.end();
    await portal.stop();
  });

  it('answers from the live generation while another one is read beside it', async () => {
    await eventually(async () => {
      const { rows } = await registry.query<{ count: string }>(
        'select count(*) as count from portal_read_g2.decision',
      );
      expect(Number(rows[0]?.count)).to.equal(5);
    });
    expect(new Set(await outcomes())).to.deep.equal(new Set(['pending']));
  });

  it('answers from the new live one after a swap, without a restart', async () => {
    await flip(1, 2);
    await eventually(async () => expect(await outcomes()).to.include('attributed'));
    await flip(2, 1);
    await eventually(async () =>
      expect(new Set(await outcomes())).to.deep.equal(new Set(['pending'])),
    );
    await flip(1, 2);
    await eventually(async () => expect(await outcomes()).to.include('attributed'));
  });

  it('goes on answering from a live generation that is lost', async () => {
    await setGenerationStatus(registry, 2, 'lost', 'a test says so');
    await eventually(async () => expect(await readyCheck('read-model')).to.include({ ok: true }));
    expect(await outcomes()).to.include('attributed');
    await flip(2, 1);
  });

  it('stops reading one that is taken off the list', async () => {
    const group = `portal-${portal.topics.prefix}-g2`;
    expect((await countMembers(portal.kafka, [group])).get(group)).to.equal(1);
    await removeGeneration(registry, 2);
    await eventually(async () =>
      expect((await countMembers(portal.kafka, [group])).get(group)).to.equal(0),
    );
    expect(await outcomes()).to.have.lengthOf(5);
  });

  async function build(generation: number): Promise<void> {
    await createTopics({
      kafka: portal.kafka,
      topics: topicSpecs({ ...portal.topics, generation, replication: 1, minInsync: 1 }),
      logger: silentLogger,
    });
    await addGeneration(registry, { number: generation, foldVersion: 2 });
  }

  function flip(from: number, to: number): Promise<void> {
    return inTransaction(registry, async (tx) => {
      expect(await flipLive(tx, { from, to })).to.equal(true);
    });
  }

  async function outcomes(): Promise<unknown[]> {
    const { body } = await portal.call('GET', '/api/tenants/acme/events');
    return (body['events'] as Item[]).map(({ outcome }) => outcome);
  }

  async function readyCheck(name: string): Promise<unknown> {
    const response = await fetch(`${portal.adminUrl}/readyz?all`);
    const { checks } = (await response.json()) as { checks: Record<string, unknown> };
    return checks[name];
  }
});

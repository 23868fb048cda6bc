import { type Topic, topicName, topics } from '@tributary/contracts/topics';
import { kafkaPrincipals } from '@tributary/contracts/topic-rights';
import { createTopics, listTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { addAcls, removeAcls } from '@tributary/event-log/kafka-acls';
import { findMissingRights } from '@tributary/event-log/missing-rights';
import { createRightsWatch } from '@tributary/event-log/rights-watch';
import { removeScramPasswords, setScramPasswords } from '@tributary/event-log/scram-users';
import { createSupervisedConsumer } from '@tributary/event-log/supervised-consumer';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { startAuthorizingKafka } from '@tributary/testkit/authorizing-kafka';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { applyRights, checkRights, defaultUsers } from './apply-rights.ts';

const naming = { users: defaultUsers, topics: 'acme.' };
const nameOf = (topic: Topic) => topicName(topic, wiring);
const wiring = { prefix: 'acme.', generation: 1, replication: 1, minInsync: 1 };

describe('rights at brokers that allow nothing by themselves', () => {
  let broker: Awaited<ReturnType<typeof startAuthorizingKafka>>;
  const of = Object.fromEntries(kafkaPrincipals.map((name) => [name, `password-of-${name}`]));
  const passwords = { mechanism: 'scram-sha-512', of } as const;
  const as = (name: string) => connectTo(broker.as(`tributary-${name}`, `password-of-${name}`));

  before(async function () {
    this.timeout(120_000);
    broker = await startAuthorizingKafka();
  });
  after(() => broker.stop());

  it('are those of the table after --apply, and a second one has nothing to do', async () => {
    const admin = connectTo(broker.admin);
    const first = await applyRights(admin, naming, passwords);
    expect(first.usersMissing).to.deep.equal([]);
    expect(first.missing).to.have.length.above(50);
    const second = await applyRights(admin, naming, passwords);
    expect(second).to.deep.equal({
      usersMissing: [],
      missing: [],
      tooMuch: [],
      besides: [],
      others: [],
    });
  });

  it('let the job make the topics, and nobody be the administrator without his password', async () => {
    await createTopics({ kafka: as('topics'), topics: topicSpecs(wiring), logger: silentLogger });
    expect(await listTopics(connectTo(broker.admin))).to.include(nameOf('events'));
    const stranger = connectTo(broker.as('admin', 'guessed', 'plain'));
    const refusal = await listTopics(stranger).catch((error: unknown) => error);
    expect(String(refusal)).to.include('Authentication failed');
  });

  it('show each service what it lacks, and nothing when it has what the table says', async () => {
    const asked = { kafka: as('rewards'), service: 'rewards', wiring };
    const topics = ['attributions', 'rewards', 'issuances'] as const;
    expect(await findMissingRights({ ...asked, topics })).to.deep.equal([]);
    const admin = connectTo(broker.admin);
    const taken = {
      principal: 'User:tributary-rewards',
      resource: 'topic',
      name: nameOf('issuances'),
      pattern: 'literal',
      operation: 'Write',
    } as const;
    await removeAcls(admin, [taken]);
    await eventually(async () =>
      expect(await findMissingRights({ ...asked, topics })).to.deep.equal([
        `User:tributary-rewards lacks Write on topic ${nameOf('issuances')}`,
      ]),
    );
    expect((await checkRights(admin, naming)).missing).to.deep.equal([taken]);
    const more = { ...taken, operation: 'Delete' } as const;
    await addAcls(admin, [taken, more]);
    await eventually(async () =>
      expect((await checkRights(admin, naming)).tooMuch).to.deep.equal([more]),
    );
  });

  it('of another deployment and of groups by hand stay, unless they are pruned', async () => {
    const admin = connectTo(broker.admin);
    const principal = 'User:tributary-rewards';
    const ofOther = {
      principal,
      resource: 'topic',
      name: topicName('events', { prefix: 'other.', generation: 1 }),
    } as const;
    const ofGroup = { principal, resource: 'group', name: 'our-own-group' } as const;
    const besides = [ofGroup, ofOther].map((acl) => {
      return { ...acl, pattern: 'literal', operation: 'Read' } as const;
    });
    const own = { ...besides[1]!, name: nameOf('events') };
    await addAcls(admin, [...besides, own]);
    await eventually(async () => {
      const found = await checkRights(admin, naming);
      expect(found.besides).to.have.deep.members(besides);
    });
    const applied = await applyRights(admin, naming, passwords);
    expect(applied.tooMuch).to.deep.include(own);
    await eventually(async () => {
      const { tooMuch, ...found } = await checkRights(admin, naming);
      expect(tooMuch).to.deep.equal([]);
      expect(found.besides).to.have.deep.members(besides);
    });
    await applyRights(admin, naming, passwords, { prune: true });
    await eventually(async () =>
      expect((await checkRights(admin, naming)).besides).to.deep.equal([]),
    );
  });

  it('are missed in words, at the start and in readyz, until they are given', async () => {
    const admin = connectTo(broker.admin);
    const lost = {
      principal: 'User:tributary-widget',
      resource: 'topic',
      name: nameOf('codes'),
      pattern: 'literal',
      operation: 'Write',
    } as const;
    await removeAcls(admin, [lost]);
    const asked = { kafka: as('widget'), service: 'widget', wiring, topics: ['codes'] as const };
    await eventually(async () => expect(await findMissingRights(asked)).to.have.length(1));
    let isUsed = false;
    const watch = createRightsWatch({
      ...asked,
      logger: silentLogger,
      everyMs: 100,
      whenAllowed: () => Promise.resolve(void (isUsed = true)),
    });
    await watch.start();
    expect(await watch.health!()).to.deep.equal({
      ok: false,
      detail: `User:tributary-widget lacks Write on topic ${nameOf('codes')}`,
    });
    expect(isUsed).to.equal(false);
    await addAcls(admin, [lost]);
    await eventually(async () => expect(await watch.health!()).to.deep.equal({ ok: true }));
    expect(isUsed).to.equal(true);
    await watch.stop!();
  });

  it('to a group are missed in words, too', async () => {
    const consumer = createSupervisedConsumer({
      kafka: as('widget'),
      logger: silentLogger,
      groupId: 'rewards',
      topics: [nameOf('catalog')],
      onAssigned: () => undefined,
      onBatch: () => Promise.resolve(),
    });
    consumer.start();
    await eventually(
      () =>
        expect(consumer.health().detail).to.equal(
          'User:tributary-widget lacks Read on group rewards',
        ),
      { deadlineMs: 30_000 },
    );
    await consumer.stop();
  });

  it('stay while a password changes: the old one and the new one are good at once', async () => {
    const admin = connectTo(broker.admin);
    const name = 'tributary-portal';
    const newer = 'the-next-password-of-portal';
    await setScramPasswords(admin, [{ name, mechanism: 'scram-sha-256', password: newer }]);
    const byNewer = connectTo(broker.as(name, newer, 'scram-sha-256'));
    await eventually(async () =>
      expect(await listTopics(byNewer)).to.have.length(Object.keys(topics).length),
    );
    expect(await listTopics(as('portal'))).to.have.length(Object.keys(topics).length);
    await removeScramPasswords(admin, [{ name, mechanism: 'scram-sha-512' }]);
    await eventually(async () => {
      const answer = await listTopics(as('portal')).catch((error: unknown) => String(error));
      expect(answer).to.include('uthentication failed');
    });
    expect(await listTopics(byNewer)).to.have.length(Object.keys(topics).length);
  });
});

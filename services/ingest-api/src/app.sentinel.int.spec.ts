import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { type RedisWithSentinels, startRedisWithSentinels } from '@tributary/testkit/redis-groups';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
} from './testing/ingest-fixture.ts';
import { createKeyedAnswers } from './testing/keyed-answers.ts';
import { createRedisClients } from './testing/redis-clients.ts';

describe('ingest-api with Redis Sentinel', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let group: RedisWithSentinels;
  let fixture: IngestFixture;
  let api: IngestProcess;
  let keyed: ReturnType<typeof createKeyedAnswers>;
  const clients = createRedisClients();
  const keysOf = (name: string) => Array.from({ length: 20 }, (_, i) => `${name}-${i}`);

  before(async () => {
    database = await createDatabase();
    group = await startRedisWithSentinels();
    const servers = await getServers();
    fixture = await createIngestFixture(
      { ...servers, postgresUrl: database.url },
      {
        redis: {
          url: `redis://${group.masterName}`,
          sentinels: {
            urls: group.sentinels.map(({ address }) => address),
            master: group.masterName,
          },
        },
      },
    );
    api = await fixture.start();
    keyed = createKeyedAnswers(fixture, () => api);
  });

  after(async () => {
    clients.disconnect();
    await api?.stop();
    await fixture?.stop();
    await group?.stop();
    await database?.drop();
  });

  const masterIs = (expected: string) =>
    eventually(async () => expect(await group.master()).to.equal(expected), { deadlineMs: 30_000 });

  it('answers each key once', async () => {
    await keyed.acknowledge(keysOf('each'));
    await keyed.hold();
    await keyed.areOnLogOnce();
  });

  it('goes on with one sentinel of three dead', async () => {
    await group.sentinels[2]!.kill();
    await keyed.acknowledge(keysOf('two-sentinels'));
    await group.sentinels[2]!.restart();
    await keyed.hold();
  });

  it('uses no server longer than the lease while two sentinels of three are silent', async () => {
    const silent = [group.sentinels[0]!, group.sentinels[1]!];
    for (const sentinel of silent) await sentinel.pause();
    await eventually(async () => expect((await keyed.send('unwitnessed')).status).to.equal(503), {
      deadlineMs: 20_000,
    });
    expect((await keyed.send(undefined)).status).to.equal(202);
    for (const sentinel of silent) await sentinel.resume();
    await keyed.hold();
    await keyed.areOnLogOnce();
  });

  it('goes on with the replica of a hung master, and not with the master when it wakes up', async () => {
    const [master, replica] = group.servers;
    await master.pause();
    await masterIs(replica.hostAndPort);
    await keyed.acknowledge(keysOf('while-hung'));
    await master.resume();
    await keyed.hold();
    await keyed.areOnLogOnce();
    await eventually(
      async () => {
        expect(await clients.of(master).info('replication')).to.match(/master_link_status:up/);
      },
      { deadlineMs: 60_000 },
    );
  });

  it('goes on with the replica of a killed master, after what that lacks is rebuilt', async () => {
    // They have changed places.
    const [replica, master] = group.servers;
    const lacking = clients.of(replica);
    await lacking.config('SET', 'masterauth', 'wrong');
    await clients.of(master).client('KILL', 'TYPE', 'REPLICA');
    await eventually(async () => {
      expect(await lacking.info('replication')).to.match(/master_link_status:down/);
    });
    await keyed.acknowledge(keysOf('not-replicated'));
    await master.kill();
    expect((await keyed.send('after-kill')).status).to.equal(503);
    expect((await keyed.send(undefined)).status).to.equal(202);
    await keyed.hold();
    expect(await group.master()).to.equal(replica.hostAndPort);
    await keyed.areOnLogOnce();
  });
});

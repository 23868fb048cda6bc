import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { type RedisCluster, startRedisCluster } from '@tributary/testkit/redis-groups';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
} from './testing/ingest-fixture.ts';
import { createKeyedAnswers } from './testing/keyed-answers.ts';
import { createRedisClients } from './testing/redis-clients.ts';

const partCount = 12;

describe('ingest-api with a Redis Cluster', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database?.drop());

  for (const replicas of [true, false]) {
    describe(replicas ? 'with replicas' : 'without replicas', () => {
      let cluster: RedisCluster;
      let fixture: IngestFixture;
      let api: IngestProcess;
      let keyed: ReturnType<typeof createKeyedAnswers>;
      const clients = createRedisClients();

      before(async () => {
        cluster = await startRedisCluster({ replicas });
        const servers = await getServers();
        fixture = await createIngestFixture(
          { ...servers, postgresUrl: database.url },
          {
            redis: {
              url: cluster.masters[0]!.address,
              clusterNodes: cluster.masters.map(({ hostAndPort }) => hostAndPort),
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
        await cluster?.stop();
      });

      /** Their parts are thirds of the twelve, in the order of the nodes. */
      const nodeOf = (key: string) => Math.floor((keyed.partsOf([key])[0]! * 3) / partCount);
      const keysOf = (node: number, name: string) => {
        const all = Array.from({ length: 60 }, (_, i) => `${name}-${i}`);
        return all.filter((key) => nodeOf(key) === node);
      };

      it('answers each key once, in every part of the key space', async () => {
        const keys = Array.from({ length: 120 }, (_, i) => `each-${i}`);
        expect(new Set(keyed.partsOf(keys)).size).to.equal(partCount);
        await keyed.acknowledge(keys);
        await keyed.hold();
        for (const master of cluster.masters) {
          const held = await clients.of(master).keys(`${fixture.settings.redisKeyPrefix}*`);
          expect(held.length).to.be.above(keys.length / 6);
        }
        await keyed.areOnLogOnce();
      });

      it('rebuilds the parts of a node that was flushed, and no others', async () => {
        await clients.of(cluster.masters[2]!).flushall();
        const [lost] = keysOf(2, 'after-flush');
        expect((await keyed.send(lost)).status).to.equal(503);
        const others = [...keysOf(0, 'after-flush'), ...keysOf(1, 'after-flush')];
        await keyed.areTaken(others);
        await keyed.hold();
        await keyed.areOnLogOnce();
      });

      it('refuses the keys of a node that is not fit, and no others', async () => {
        const client = clients.of(cluster.masters[1]!);
        await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
        const [unfit] = keysOf(1, 'unfit');
        await eventually(async () => expect((await keyed.send(unfit)).status).to.equal(503));
        const others = [...keysOf(0, 'unfit'), ...keysOf(2, 'unfit')];
        await keyed.areTaken(others);
        await client.config('SET', 'maxmemory-policy', 'noeviction');
        await keyed.hold();
        await keyed.areOnLogOnce();
      });

      if (replicas) {
        it('goes on with the replica of a killed node, after what that lacks is rebuilt', async () => {
          const [dying, replica] = [cluster.masters[1]!, cluster.replicas[1]!];
          const lacking = clients.of(replica);
          // It cannot come back to its master, and so gets nothing of the keys that follow.
          await lacking.config('SET', 'masterauth', 'wrong');
          await clients.of(dying).client('KILL', 'TYPE', 'REPLICA');
          await eventually(async () => {
            expect(await lacking.info('replication')).to.match(/master_link_status:down/);
          });
          const keys = keysOf(1, 'not-replicated');
          await keyed.acknowledge(keys);
          await dying.kill();
          expect((await keyed.send(keysOf(1, 'after-kill')[0])).status).to.equal(503);
          expect((await keyed.send(undefined)).status).to.equal(202);
          const others = [...keysOf(0, 'after-kill'), ...keysOf(2, 'after-kill')];
          await keyed.areTaken(others);
          await keyed.hold();
          expect(await lacking.info('replication')).to.match(/role:master/);
          await keyed.areOnLogOnce();
          // The killed one comes back as replica of its replica.
          await lacking.config('SET', 'masterauth', '');
          await dying.restart();
          await keyed.hold();
        });
      } else {
        it('rebuilds a node that was killed and comes back empty', async () => {
          const [dying] = cluster.masters;
          await dying!.kill();
          const [lost] = keysOf(0, 'back');
          await eventually(async () => expect((await keyed.send(lost)).status).to.equal(503));
          expect((await keyed.send(undefined)).status).to.equal(202);
          const others = [...keysOf(1, 'back'), ...keysOf(2, 'back')];
          await keyed.areTaken(others);
          await dying!.empty();
          await dying!.restart();
          await keyed.hold();
          await keyed.areOnLogOnce();
        });
      }
    });
  }
});

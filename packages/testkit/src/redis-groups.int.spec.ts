import { expect } from 'chai';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import {
  type RedisCluster,
  type RedisWithSentinels,
  startRedisCluster,
  startRedisWithSentinels,
} from './redis-groups.ts';

describe('a group of Redis servers', function () {
  this.timeout(120_000);
  let cluster: RedisCluster | undefined;
  let watched: RedisWithSentinels | undefined;

  after(async () => {
    await cluster?.stop();
    await watched?.stop();
  });

  it('is a cluster whose replica takes over when its master is killed', async () => {
    cluster = await startRedisCluster({ replicas: true });
    await cluster.masters[1]!.kill();
    const replica = new Redis(cluster.replicas[1]!.address);
    await eventually(
      async () => expect(await replica.info('replication')).to.match(/role:master/),
      {
        deadlineMs: 30_000,
      },
    );
    replica.disconnect();
  });

  it('is a master whose replica takes over when the sentinels miss it', async () => {
    watched = await startRedisWithSentinels();
    const [master, replica] = watched.servers;
    expect(await watched.master()).to.equal(master.hostAndPort);
    await master.kill();
    await eventually(async () => expect(await watched!.master()).to.equal(replica.hostAndPort), {
      deadlineMs: 30_000,
    });
  });
});

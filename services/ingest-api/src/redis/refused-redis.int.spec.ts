import { createLogger } from '@tributary/runtime/logger';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import type { TestServer } from '@tributary/testkit/test-server';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { connectRedis, readRedisFacts } from './connect-redis.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('a redis that refuses ingest-api', function () {
  this.timeout(60_000);
  let server: TestServer;
  let admin: Redis;
  before(async () => {
    server = await startOwned('redis');
    admin = new Redis(server.address);
    await admin.call('ACL', 'SETUSER', 'ingest', 'on', '>right', '~*', '+get', '+ping');
  });
  after(async () => {
    admin?.disconnect();
    await server?.stop();
  });

  it('is told with the user and the words of the server, and works once it allows it', async () => {
    const redis = connect('right');
    try {
      await redis.connect().catch(() => undefined);
      await eventually(async () => {
        const words = await readRedisFacts(redis).then(String, (error: Error) => error.message);
        expect(words).to.match(/^redis refuses ingest: NOPERM.*info/i);
      });
      await admin.call('ACL', 'SETUSER', 'ingest', '+info');
      await eventually(async () => expect((await readRedisFacts(redis)).runId).to.not.equal(''));
    } finally {
      redis.disconnect();
    }
  });

  it('lets it in without a restart once the password is right', async () => {
    const redis = connect('new-one');
    try {
      expect(await redis.connect().then(String, (error: Error) => error.message)).to.match(
        /closed/,
      );
      await admin.call('ACL', 'SETUSER', 'ingest', '>new-one', '+info');
      await eventually(async () => expect((await readRedisFacts(redis)).runId).to.not.equal(''));
    } finally {
      redis.disconnect();
    }
  });

  function connect(password: string): Redis {
    const url = new URL(server.address);
    url.username = 'ingest';
    url.password = password;
    return connectRedis({ url: url.href }, logger);
  }
});

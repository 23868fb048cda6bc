import type { RedisMember } from '@tributary/testkit/redis-groups';
import { Redis } from 'ioredis';

/** Clients of members that a spec kills, until it disconnects all of them. */
export function createRedisClients() {
  const clients: Redis[] = [];
  return {
    of({ address }: Pick<RedisMember, 'address'>): Redis {
      const client = new Redis(address);
      // It goes on trying; a command that is asked of it says what is wrong.
      client.on('error', () => undefined);
      clients.push(client);
      return client;
    },
    disconnect(): void {
      for (const client of clients) client.disconnect();
    },
  };
}

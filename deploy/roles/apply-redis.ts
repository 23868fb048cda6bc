import { connectRedis } from '../../services/ingest-api/src/redis/connect-redis.ts';
import type { Logger } from '../../packages/runtime/src/logger.ts';
import type { RedisSettings } from '../../packages/runtime/src/variables.ts';
import type { ServicePasswords } from '../local/service-passwords.ts';
import { digestOf, nobody, redisPermissions, redisRules } from './redis-users.ts';
import { type RedisPrincipal, redisTable, roleName } from './roles-table.ts';

type Options = {
  admin: RedisSettings;
  prefix: string;
  passwords: ServicePasswords['redis'];
  logger: Logger;
};

const principals = Object.keys(redisTable) as RedisPrincipal[];

/**
 * Makes the users on a server that runs. A server with an ACL file keeps them in it; for another
 * one the answer says what would be lost with a restart.
 */
export async function applyRedisUsers(options: Options): Promise<string[]> {
  const { prefix, passwords } = options;
  return withRedis(options, async (redis) => {
    for (const principal of principals) {
      const rules = redisRules(principal, passwords[principal]);
      await redis.call('ACL', 'SETUSER', roleName(prefix, principal), ...rules);
    }
    const kept = await redis.call('ACL', 'SAVE').then(
      () => true,
      () => false,
    );
    return kept ? [] : ['redis has no aclfile: its users are gone when it restarts'];
  });
}

/** What differs from the table, each as a sentence. */
export async function checkRedisUsers(options: Options): Promise<string[]> {
  const { prefix, passwords } = options;
  return withRedis(options, async (redis) => {
    const mistakes: string[] = [];
    if ((await flagsOf(redis, 'default')).includes('on')) {
      mistakes.push('the user default is on: whoever reaches redis may do everything');
    }
    const { commands, keys } = await userOf(redis, 'default');
    if (commands !== '+@all' || keys !== '~*') {
      mistakes.push(
        'the user default lacks permissions, though nobody is that user: redis loses transactions of ' +
          `its append-only file when it restarts; ACL SETUSER ${nobody}`,
      );
    }
    for (const principal of principals) {
      const name = roleName(prefix, principal);
      const wanted = `${name}-wanted`;
      // Rules have more than one spelling; the server says how it spells these. Nobody can be this
      // user: it is off, and has no password.
      await redis.call('ACL', 'SETUSER', wanted, 'reset', ...redisPermissions(principal));
      const [found, right] = [await userOf(redis, name), await userOf(redis, wanted)];
      await redis.call('ACL', 'DELUSER', wanted);
      mistakes.push(...differences(name, found, right, digestOf(passwords[principal])));
    }
    return mistakes;
  });
}

type User = Record<string, unknown>;

function differences(name: string, found: User, right: User, digest: string): string[] {
  if (found['flags'] === undefined) return [`there is no redis user ${name}`];
  const fields = ['commands', 'keys', 'channels'] as const;
  const lacks = fields.flatMap((field) => minus(right[field], found[field]));
  const tooMany = fields.flatMap((field) => minus(found[field], right[field]));
  const isKnown = (found['passwords'] as string[]).includes(digest);
  return [
    ...lacks.map((rule) => `${name} lacks ${rule}`),
    ...tooMany.map((rule) => `${name} has ${rule}, and should not`),
    ...(isKnown ? [] : [`${name} has another password`]),
  ];
}

/** Rules of the one text that the other has not; the server lists them in no order. */
function minus(text: unknown, other: unknown): string[] {
  const others = new Set(String(other).split(' '));
  return String(text)
    .split(' ')
    .filter((rule) => rule !== '' && !others.has(rule));
}

type Redis = ReturnType<typeof connectRedis>;

async function flagsOf(redis: Redis, name: string): Promise<readonly string[]> {
  return ((await userOf(redis, name))['flags'] as string[] | undefined) ?? [];
}

/** The answer of ACL GETUSER, a flat list of names and values. */
async function userOf(redis: Redis, name: string): Promise<User> {
  const answer = (await redis.call('ACL', 'GETUSER', name)) as unknown[] | null;
  const entries: [string, unknown][] = [];
  for (let i = 0; i < (answer ?? []).length; i += 2)
    entries.push([String(answer![i]), answer![i + 1]]);
  return Object.fromEntries(entries);
}

async function withRedis<T>(
  { admin, logger }: Options,
  work: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = connectRedis(admin, logger);
  try {
    await redis.connect();
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

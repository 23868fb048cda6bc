import { createHash } from 'node:crypto';
import type { ServicePasswords } from '../local/service-passwords.ts';
import { type RedisPrincipal, redisTable, roleName } from './roles-table.ts';

/** The rules of one user, in the words of `ACL SETUSER`; of the password its digest only. */
export function redisRules(principal: RedisPrincipal, password: string): string[] {
  return ['reset', 'on', `#${digestOf(password)}`, ...redisPermissions(principal)];
}

/** What it may do, without a way in. */
export function redisPermissions(principal: RedisPrincipal): string[] {
  const { keys, commands } = redisTable[principal];
  return [...keys.map((pattern) => `~${pattern}`), ...commands.map((command) => `+${command}`)];
}

/**
 * Nobody gets in as the user without a name. It keeps every permission all the same: Redis 7.0
 * reads its append-only file as that user, and drops the transactions in it that the user may not
 * run.
 */
export const nobody = 'default reset off ~* &* +@all';

/** For a server of ours: its users, and nobody without a password. */
export function redisAclFile(prefix: string, passwords: ServicePasswords['redis']): string {
  const users = (Object.keys(redisTable) as RedisPrincipal[]).map((principal) =>
    ['user', roleName(prefix, principal), ...redisRules(principal, passwords[principal])].join(' '),
  );
  const admin = `user ${roleName(prefix, 'admin')} on #${digestOf(passwords.admin)} ~* &* +@all`;
  return [`user ${nobody}`, admin, ...users, ''].join('\n');
}

export function digestOf(password: string): string {
  return createHash('sha256').update(password).digest('hex');
}

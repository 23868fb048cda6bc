import { randomBytes, randomUUID } from 'node:crypto';
import type { Role } from '@tributary/contracts/admin/rights';
import { insertApiToken } from '../db/api-tokens.ts';
import { after } from '../domain/durations.ts';
import type { Office } from './office.ts';

const dayMs = 24 * 60 * 60_000;

/** So that whoever finds one somewhere knows what it is. */
export const tokenPrefix = 'trib_';

export function tokenText(token: string): string {
  return `token:${token}`;
}

export async function createApiToken(
  { pool, clock, digest }: Office,
  asked: { name: string; tenantId: string | null; role: Role; days: number },
  createdBy: string,
) {
  const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`;
  const createdAt = clock.now();
  const { days, ...named } = asked;
  const row = {
    ...{ tokenId: randomUUID(), ...named, createdBy, createdAt },
    expiresAt: after(createdAt, days * dayMs),
  };
  await insertApiToken(pool, { ...row, digest: digest(tokenText(token)) });
  return { ...row, lastUsedAt: null, revokedAt: null, token };
}

import { findApiToken, tokenUsed } from '../db/api-tokens.ts';
import { findSession, sessionSeen } from '../db/sessions.ts';
import { actorOfAccount, type Caller } from '../domain/caller.ts';
import { seenEveryMs } from '../domain/durations.ts';
import { tokenText } from './api-tokens.ts';
import type { Office } from './office.ts';
import { describeSession, openSince, sessionText } from './sessions.ts';

/** Undefined for a token that does not hold, whatever the reason. */
export async function identifyByToken(
  { pool, clock, digest }: Office,
  token: string,
  isSeen: boolean,
): Promise<Caller | undefined> {
  const at = clock.now();
  const found = await findApiToken(pool, digest(tokenText(token)), at);
  if (found === undefined) return undefined;
  const { tokenId, tenantId, role, lastUsedAt } = found;
  if (isSeen && isLongAgo(lastUsedAt, at)) await tokenUsed(pool, tokenId, at);
  return {
    kind: 'token',
    actor: `token:${tokenId}`,
    isOperator: role === 'operator',
    roles: new Map(tenantId === null || role === 'operator' ? [] : [[tenantId, role]]),
  };
}

/** Undefined for a session that is over. */
export async function identifyBySession(
  office: Office,
  secret: string,
  isSeen: boolean,
): Promise<Caller | undefined> {
  const { pool, clock, digest } = office;
  const at = clock.now();
  const found = await findSession(pool, digest(sessionText(secret)), openSince(at));
  if (found === undefined) return undefined;
  if (isSeen && isLongAgo(found.lastSeenAt, at)) await sessionSeen(pool, found.sessionId, at);
  return {
    kind: 'account',
    actor: actorOfAccount(found.accountId),
    isOperator: found.isOperator,
    roles: new Map(found.memberships.map(({ tenantId, role }) => [tenantId, role])),
    session: describeSession(office, secret, { ...found, lastSeenAt: at }),
  };
}

function isLongAgo(lastAt: Date | null, at: Date): boolean {
  return lastAt === null || at.getTime() - lastAt.getTime() >= seenEveryMs;
}

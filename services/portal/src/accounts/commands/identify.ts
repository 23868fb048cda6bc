import { inTransaction } from '@tributary/runtime/postgres';
import { listMemberships, lockAccount } from '../db/accounts.ts';
import { type ApiTokenRow, findApiToken, findTokenOfId, tokenUsed } from '../db/api-tokens.ts';
import { findSession, sessionSeen } from '../db/sessions.ts';
import { actorOfAccount, actorOfToken, bootstrap, type Caller, nobody } from '../domain/caller.ts';
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
  const { tokenId, lastUsedAt } = found;
  if (isSeen && isLongAgo(lastUsedAt, at)) await tokenUsed(pool, tokenId, at);
  return callerOfToken(found);
}

function callerOfToken({ tokenId, tenantId, role }: ApiTokenRow): Caller {
  return {
    kind: 'token',
    actor: actorOfToken(tokenId),
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

/**
 * Somebody who asked before, as they stand now: an account that has lost its role, or a token that
 * is revoked, is nobody.
 */
export async function identifyActor({ pool, clock }: Office, actor: string): Promise<Caller> {
  if (actor === bootstrap.actor) return bootstrap;
  const [kind, id = ''] = actor.split(':');
  if (kind === 'token') {
    const found = await findTokenOfId(pool, id, clock.now());
    return found === undefined ? nobody : callerOfToken(found);
  }
  return inTransaction(pool, async (tx): Promise<Caller> => {
    const account = kind === 'account' ? await lockAccount(tx, id) : undefined;
    if (account === undefined) return nobody;
    const memberships = await listMemberships(tx, id);
    const roles = new Map(memberships.map(({ tenantId, role }) => [tenantId, role]));
    return { kind: 'account', actor, isOperator: account.isOperator, roles };
  });
}

function isLongAgo(lastAt: Date | null, at: Date): boolean {
  return lastAt === null || at.getTime() - lastAt.getTime() >= seenEveryMs;
}

import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Clock } from '@tributary/runtime/clock';
import type pg from 'pg';
import { findCode } from './queries/codes.ts';
import { type Person, personOf } from './queries/people.ts';
import { signupSeen } from './queries/referrals.ts';
import { readUserView, type UserView } from './queries/user-view.ts';
import type { OwnedCode } from '../domain/choose-invite.ts';

/** What the projection of the live generation knows. */
export type Knowledge = {
  userView: (tenantId: string, userId: string) => Promise<UserView>;
  findCode: (tenantId: string, ucc: string) => Promise<OwnedCode | undefined>;
  personOf: (tenantId: string, userId: string) => Promise<Person | undefined>;
  signupSeen: (tenantId: string, userId: string) => Promise<boolean>;
};

/**
 * Asks nothing of a projection that has not read the log as it was at the start: a code that an
 * operator has disabled would be issued again, and nobody would have referred anybody.
 */
export function createKnowledge(
  readModel: Pick<ReadModel, 'pool' | 'hasCaughtUp'>,
  clock: Clock,
): Knowledge {
  async function ask<T>(read: (pool: pg.Pool) => Promise<T>): Promise<T> {
    const caughtUp = await readModel.hasCaughtUp().catch((cause: unknown) => {
      throw new ProjectionBehind({ cause });
    });
    if (!caughtUp) throw new ProjectionBehind();
    try {
      return await read(readModel.pool);
    } catch (cause) {
      throw isTakenAway(cause) ? new ProjectionBehind({ cause }) : cause;
    }
  }

  return {
    userView: async (tenantId, userId) => {
      const view = await ask((pool) => readUserView(pool, tenantId, userId));
      return { ...view, codes: view.codes.map((code) => codeAt(code, clock.now())) };
    },
    findCode: async (tenantId, ucc) => {
      const code = await ask((pool) => findCode(pool, tenantId, ucc));
      return code && codeAt(code, clock.now());
    },
    personOf: (tenantId, userId) => ask((pool) => personOf(pool, tenantId, userId)),
    signupSeen: (tenantId, userId) => ask((pool) => signupSeen(pool, tenantId, userId)),
  };
}

/**
 * A code that was enabled again by a clock that is ahead is still disabled: events received before
 * that moment do not count (docs/decisions/0023). The first issue counts for earlier events too.
 */
function codeAt(code: OwnedCode, now: Date): OwnedCode {
  const { status, issuedAt, changedAt } = code;
  const isAhead = changedAt !== issuedAt && changedAt > now.toISOString();
  return status === 'issued' && isAhead ? { ...code, status: 'disabled' } : code;
}

/**
 * Its schema was dropped (undefined table or schema), or its generation stopped here between two
 * statements: in a moment it is started anew.
 */
function isTakenAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return code === '42P01' || code === '3F000' || error.message.includes(poolEnded);
}

/** As pg says it; the error has no code. */
const poolEnded = 'after calling end on the pool';

/** Being built for the first time, or anew; soon it is there. */
export class ProjectionBehind extends Error {
  readonly retryable = true;
  constructor(options?: { cause?: unknown }) {
    super('the projection has not read the log up to its end yet', options);
    this.name = 'ProjectionBehind';
  }
}

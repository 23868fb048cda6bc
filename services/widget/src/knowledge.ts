import type { HostedReadModel } from '@tributary/generations/host-read-models';
import { type CodeRow, findCode } from './adapters/postgres/codes.ts';
import { type Person, personOf } from './adapters/postgres/people.ts';
import { signupSeen } from './adapters/postgres/referrals.ts';
import { readUserView, type UserView } from './adapters/postgres/user-view.ts';

/** What the projection of the live generation knows. */
export type Knowledge = {
  userView: (tenantId: string, userId: string) => Promise<UserView>;
  findCode: (tenantId: string, ucc: string) => Promise<CodeRow | undefined>;
  personOf: (tenantId: string, userId: string) => Promise<Person | undefined>;
  signupSeen: (tenantId: string, userId: string) => Promise<boolean>;
};

/**
 * Asks nothing of a projection that has not read the log as it was at the start: a code that an operator
 * has disabled would be issued again, and nobody would have referred anybody.
 */
export function createKnowledge(
  readModel: Pick<HostedReadModel, 'pool' | 'hasCaughtUp'>,
): Knowledge {
  async function poolOf() {
    const caughtUp = await readModel.hasCaughtUp().catch((cause: unknown) => {
      throw new ProjectionBehind({ cause });
    });
    if (!caughtUp) throw new ProjectionBehind();
    return readModel.pool;
  }

  return {
    userView: async (tenantId, userId) => readUserView(await poolOf(), tenantId, userId),
    findCode: async (tenantId, ucc) => findCode(await poolOf(), tenantId, ucc),
    personOf: async (tenantId, userId) => personOf(await poolOf(), tenantId, userId),
    signupSeen: async (tenantId, userId) => signupSeen(await poolOf(), tenantId, userId),
  };
}

/** Being built for the first time, or anew; soon it is there. */
export class ProjectionBehind extends Error {
  readonly retryable = true;
  constructor(options?: { cause?: unknown }) {
    super('the projection has not read the log up to its end yet', options);
    this.name = 'ProjectionBehind';
  }
}

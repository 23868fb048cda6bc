import type pg from 'pg';
import type { OwnedCode } from '../../domain/choose-invite.ts';
import { codesOfUser } from './codes.ts';
import { type Credits, creditsOf } from './credits.ts';
import { type Person, personOf } from './people.ts';
import { type Referrals, referralsOf } from './referrals.ts';

/** All that the widget knows of one user. */
export type UserView = {
  /** Disabled ones too; the one issued last first. */
  codes: OwnedCode[];
  person: Person | undefined;
  referrals: Referrals;
  credits: Credits;
};

/** Four statements at once, each over its own connection when the pool has them. */
export async function readUserView(
  pool: pg.Pool,
  tenantId: string,
  userId: string,
): Promise<UserView> {
  const [codes, person, referrals, credits] = await Promise.all([
    codesOfUser(pool, tenantId, userId),
    personOf(pool, tenantId, userId),
    referralsOf(pool, tenantId, userId),
    creditsOf(pool, tenantId, userId),
  ]);
  return { codes, person, referrals, credits };
}

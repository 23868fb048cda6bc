import { randomBytes, randomUUID } from 'node:crypto';
import { mayGrant, type Role, type TenantRole } from '@tributary/contracts/admin/rights';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import {
  findAccount,
  forgetWithoutRole,
  insertAccount,
  lockAccount,
  storeOperator,
} from '../db/accounts.ts';
import {
  countOwners,
  deleteMembership,
  insertInvitation,
  isInvitation,
  lockPeople,
  roleOfMember,
  storeMembership,
  takeInvitation,
} from '../db/people.ts';
import { endSessions } from '../db/sessions.ts';
import { after, invitationMs } from '../domain/durations.ts';
import { hashPassword } from './passwords.ts';
import type { Office } from './office.ts';
import { type Verified, verifyCredentials } from './verify-credentials.ts';

/** Tenant and role are of one kind: an operator is of no tenant. */
export async function invite(
  { pool, clock, digest, publicUrl }: Office,
  asked: { email: string; tenantId: string | null; role: Role },
  invitedBy: string,
) {
  const secret = randomBytes(32).toString('base64url');
  const at = clock.now();
  const { email, tenantId, role } = asked;
  const invitation = {
    ...{ invitationId: randomUUID(), email, tenantId, role },
    expiresAt: after(at, invitationMs),
  };
  const row = { ...invitation, digest: digest(invitationText(secret)), invitedBy, at };
  await insertInvitation(pool, row);
  // Behind the #, so that no server on the way logs it.
  return { ...invitation, link: `${publicUrl}/portal/invitation#${secret}` };
}

function invitationText(secret: string): string {
  return `invitation:${secret}`;
}

export type Accepted =
  | { outcome: 'accepted'; accountId: string; tenantId: string | null; role: Role }
  | { outcome: 'no-invitation' }
  | { outcome: 'other-password' }
  | Extract<Verified, { outcome: 'too-many' }>;

/**
 * Makes the account, or adds to the one that has the e-mail: whoever takes the invitation must know
 * its password then, as whoever invites cannot say whose account that is.
 */
export async function acceptInvitation(
  office: Office,
  asked: { invitation: string; name: string; password: string },
  address: string,
): Promise<Accepted> {
  const { pool, clock, digest } = office;
  const invitation = digest(invitationText(asked.invitation));
  // Nobody has passwords hashed here who was not invited.
  if (!(await isInvitation(pool, invitation, clock.now()))) return { outcome: 'no-invitation' };
  const passwordHash = await hashPassword(asked.password);
  return inTransaction(pool, async (tx): Promise<Accepted> => {
    const at = clock.now();
    const taken = await takeInvitation(tx, invitation, at);
    if (taken === undefined) return { outcome: 'no-invitation' };
    const { email, tenantId, role } = taken;
    if (tenantId !== null) await lockPeople(tx, tenantId);
    const row = { accountId: randomUUID(), email, name: asked.name, passwordHash, at };
    let accountId: string = row.accountId;
    if (!(await insertAccount(tx, row))) {
      const known = (await findAccount(tx, email))!;
      const about = { name: known.accountId, address, withCode: false };
      const verified = await verifyCredentials(office, known, asked, about);
      if (verified.outcome !== 'right') throw new NotAccepted(verified);
      accountId = known.accountId;
      await lockAccount(tx, accountId);
    }
    const given = await giveRole(tx, { accountId, tenantId, role, at });
    return { outcome: 'accepted', accountId, tenantId, role: given };
  }).catch((error: unknown) => {
    // The invitation holds on: it was taken in the transaction that is rolled back.
    if (!(error instanceof NotAccepted)) throw error;
    const { verified } = error;
    return verified.outcome === 'too-many' ? verified : { outcome: 'other-password' };
  });
}

class NotAccepted extends Error {
  readonly verified: Verified;
  constructor(verified: Verified) {
    super('the invitation is not taken');
    this.verified = verified;
  }
}

/** The role that they have then: an invitation takes nothing away. */
async function giveRole(
  tx: Tx,
  row: { accountId: string; tenantId: string | null; role: Role; at: Date },
): Promise<Role> {
  const { accountId, tenantId, role, at } = row;
  if (tenantId === null) {
    await storeOperator(tx, accountId, true);
    return 'operator';
  }
  if (role === 'operator') throw new Error('an operator is of no tenant');
  const present = await roleOfMember(tx, tenantId, accountId);
  if (present !== undefined && mayGrant(present, role)) return present;
  await storeMembership(tx, { accountId, tenantId, role, at });
  return role;
}

export type Changed<T> =
  | ({ outcome: 'changed' } & T)
  | { outcome: 'no-person' }
  | { outcome: 'last-owner' }
  | { outcome: 'above' };

type Named = { tenantId: string; accountId: string };

/** Nobody touches somebody above them, or lifts anybody above themselves. */
export async function changeRole(
  { pool, clock }: Office,
  granter: Role,
  named: Named,
  role: TenantRole,
): Promise<Changed<object>> {
  return withMember<object>(pool, granter, named, async (tx, present) => {
    if (!mayGrant(granter, role)) return { outcome: 'above' };
    if (role !== 'owner' && (await isLastOwner(tx, named, present))) {
      return { outcome: 'last-owner' };
    }
    await storeMembership(tx, { ...named, role, at: clock.now() });
    return { outcome: 'changed' };
  });
}

export async function removePerson(
  { pool, clock }: Office,
  granter: Role,
  named: Named,
): Promise<Changed<{ forgotten: boolean }>> {
  return withMember<{ forgotten: boolean }>(pool, granter, named, async (tx, present) => {
    if (await isLastOwner(tx, named, present)) return { outcome: 'last-owner' };
    const { tenantId, accountId } = named;
    await deleteMembership(tx, tenantId, accountId);
    await endSessions(tx, accountId);
    return { outcome: 'changed', forgotten: await forgetWithoutRole(tx, accountId, clock.now()) };
  });
}

/** Undefined when nobody of this id is one. */
export async function removeOperator({ pool, clock }: Office, accountId: string) {
  return inTransaction(pool, async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (account?.isOperator !== true) return undefined;
    await storeOperator(tx, accountId, false);
    await endSessions(tx, accountId);
    return { forgotten: await forgetWithoutRole(tx, accountId, clock.now()) };
  });
}

async function withMember<T>(
  pool: Office['pool'],
  granter: Role,
  { tenantId, accountId }: Named,
  work: (tx: Tx, present: TenantRole) => Promise<Changed<T>>,
): Promise<Changed<T>> {
  return inTransaction(pool, async (tx): Promise<Changed<T>> => {
    await lockPeople(tx, tenantId);
    await lockAccount(tx, accountId);
    const present = await roleOfMember(tx, tenantId, accountId);
    if (present === undefined) return { outcome: 'no-person' };
    if (!mayGrant(granter, present)) return { outcome: 'above' };
    return work(tx, present);
  });
}

async function isLastOwner(tx: Tx, { tenantId }: Named, present: TenantRole): Promise<boolean> {
  return present === 'owner' && (await countOwners(tx, tenantId)) === 1;
}

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
import { revokeApiTokensOf } from '../db/api-tokens.ts';
import {
  countOwners,
  deleteInvitationsBy,
  deleteInvitationsOf,
  deleteMembership,
  findInvitation,
  insertInvitation,
  listPeople,
  lockPeople,
  roleOfMember,
  storeMembership,
  takeInvitation,
} from '../db/people.ts';
import { endSessions } from '../db/sessions.ts';
import { actorOfAccount } from '../domain/caller.ts';
import { after, invitationMs } from '../domain/durations.ts';
import { invitationMail } from '../domain/mail-texts.ts';
import { hashPassword } from './passwords.ts';
import type { Office } from './office.ts';
import { type Verified, verifyCredentials } from './verify-credentials.ts';

/**
 * Tenant and role are of one kind: an operator is of no tenant. The link is mailed, or given to
 * whoever invites: where no mail server is set, or it does not take the mail.
 */
export async function invite(
  { pool, clock, digest, publicUrl, mailer }: Office,
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
  const link = `${publicUrl}/portal/invitation#${secret}`;
  const mail = invitationMail({ ...invitation, link });
  const mailed = mailer !== null && (await mailer.send(email, mail));
  return { ...invitation, link: mailed ? null : link, mailed };
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
 * its password then, as whoever invites cannot say whose account that is. All that takes long is
 * done before anything is locked.
 */
export async function acceptInvitation(
  office: Office,
  asked: { invitation: string; name: string; password: string },
  network: string,
): Promise<Accepted> {
  const { pool, clock } = office;
  const digest = office.digest(invitationText(asked.invitation));
  // Nobody has passwords hashed here who was not invited.
  const invited = await findInvitation(pool, digest, clock.now());
  if (invited === undefined) return { outcome: 'no-invitation' };
  const known = await findAccount(pool, invited.email);
  if (known === undefined) {
    const { name, password } = asked;
    const row = { accountId: randomUUID(), email: invited.email, name };
    const made = { ...row, passwordHash: await hashPassword(password), at: clock.now() };
    const isMade = async (tx: Tx) => ((await insertAccount(tx, made)) ? undefined : 'e-mail taken');
    const accepted = await take(office, digest, row.accountId, isMade);
    // Whose password it must be then.
    const isOthers = accepted.outcome === 'e-mail taken';
    return isOthers ? acceptInvitation(office, asked, network) : accepted;
  }
  const about = { name: known.accountId, network, withCode: false };
  const verified = await verifyCredentials(office, known, asked, about);
  if (verified.outcome === 'too-many') return verified;
  if (verified.outcome !== 'right') return { outcome: 'other-password' };
  const { accountId, passwordHash } = verified.account;
  return take(office, digest, accountId, async (tx) => {
    const present = await lockAccount(tx, accountId);
    if (present === undefined) return 'no-invitation';
    return present.passwordHash === passwordHash ? undefined : 'other-password';
  });
}

/** Undone as a whole, so that the invitation holds on, where something stands in the way. */
async function take<const Reason extends string>(
  { pool, clock }: Office,
  digest: string,
  accountId: string,
  hindered: (tx: Tx) => Promise<Reason | undefined>,
): Promise<Extract<Accepted, { outcome: 'accepted' | 'no-invitation' }> | { outcome: Reason }> {
  const reasons: Reason[] = [];
  return inTransaction(pool, async (tx) => {
    const at = clock.now();
    const taken = await takeInvitation(tx, digest, at);
    if (taken === undefined) return { outcome: 'no-invitation' } as const;
    const { tenantId, role } = taken;
    if (tenantId !== null) await lockPeople(tx, tenantId);
    const reason = await hindered(tx);
    if (reason !== undefined) {
      reasons.push(reason);
      throw new Error(reason);
    }
    const given = await giveRole(tx, { accountId, tenantId, role, at });
    return { outcome: 'accepted', accountId, tenantId, role: given } as const;
  }).catch((error: unknown) => {
    const [outcome] = reasons;
    if (outcome === undefined) throw error;
    return { outcome };
  });
}
/** The role that they have then: an invitation takes nothing away. */
export async function giveRole(
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
    if (!mayGrant(role, present)) await withdrawOwn(tx, named.accountId, named.tenantId);
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
    await withdrawOwn(tx, accountId, tenantId);
    await endSessions(tx, accountId);
    return { outcome: 'changed', forgotten: await forgetWithoutRole(tx, accountId, clock.now()) };
  });
}

/** Nobody is left of a removed tenant: no member, no invitation and no token. */
export async function removeEverybody({ pool, clock }: Office, tenantId: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await lockPeople(tx, tenantId);
    const at = clock.now();
    for (const accountId of (await listPeople(tx, tenantId)).map((one) => one.accountId).sort()) {
      await lockAccount(tx, accountId);
      await deleteMembership(tx, tenantId, accountId);
      await endSessions(tx, accountId);
      await forgetWithoutRole(tx, accountId, at);
    }
    await deleteInvitationsOf(tx, tenantId);
    await revokeApiTokensOf(tx, tenantId, at);
  });
}

/** Undefined when nobody of this id is one. */
export async function removeOperator({ pool, clock }: Office, accountId: string) {
  return inTransaction(pool, async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (account?.isOperator !== true) return undefined;
    await storeOperator(tx, accountId, false);
    await withdrawOwn(tx, accountId);
    await endSessions(tx, accountId);
    return { forgotten: await forgetWithoutRole(tx, accountId, clock.now()) };
  });
}

/** Nobody lets others in by a right that they have no more. An operator has it in every tenant. */
function withdrawOwn(tx: Tx, accountId: string, tenantId?: string): Promise<void> {
  return deleteInvitationsBy(tx, actorOfAccount(accountId), tenantId);
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

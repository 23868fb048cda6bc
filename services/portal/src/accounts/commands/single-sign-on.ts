import { randomUUID } from 'node:crypto';
import { singleSignOnCallbackPath as callbackPath } from '@tributary/contracts/admin/sign-in-path';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import {
  type AccountRow,
  clearFactors,
  findAccount,
  insertAccount,
  lockAccount,
} from '../db/accounts.ts';
import { type InvitationRow, lockPeople, takeInvitationsOf } from '../db/people.ts';
import { endSessions } from '../db/sessions.ts';
import { findSubject, linkSubject, lockSubject, type Subject } from '../db/single-sign-on.ts';
import { before, confirmedMs } from '../domain/durations.ts';
import type { Binding, Claims } from '../endpoint/identity-provider.ts';
import { isChallenge, newChallenge, takeChallenge } from './challenges.ts';
import { notify } from './notices.ts';
import type { Office } from './office.ts';
import { giveRole } from './people.ts';
import { type From, openSession, type SignedIn } from './sessions.ts';

/**
 * Where the browser is sent, and the secret that its cookie holds until it comes back. State,
 * nonce and verifier all follow from that: nothing is kept of sign-ons that nobody finishes, and
 * an answer is worth nothing in another browser.
 */
export async function beginSingleSignOn(
  office: Office,
  { anew }: { anew: boolean },
): Promise<{ location: string; secret: string } | undefined> {
  const { provider } = office;
  if (provider === null) return undefined;
  const secret = `${anew ? anewMark : ''}${newChallenge(office, purposeOf(anew))}`;
  const redirectUri = `${office.publicUrl}${callbackPath}`;
  const location = await provider.begin(bindingOf(office, secret), { redirectUri, anew });
  return location && { location: location.href, secret };
}

/** In front of the cookie's secret where somebody has to prove themselves anew. */
const anewMark = 'anew.';

function purposeOf(anew: boolean): string {
  return anew ? 'single-sign-on-anew' : 'single-sign-on';
}

function bindingOf({ digest }: Pick<Office, 'digest'>, secret: string): Binding {
  const of = (what: string) => digest(`single-sign-on-${what}:${secret}`);
  return { state: of('state'), nonce: of('nonce'), verifier: of('verifier') };
}

/** With the roles that invitations gave, and what the account had before it was linked. */
export type SignedOn = SignedIn & { joined: string[]; cleared: string[] };

/**
 * Undefined for every answer that signs nobody in: one that was not asked for by this browser, is
 * too old, was given before or is not the provider's; and people who neither have an account nor
 * are invited, or whose e-mail the provider has not verified.
 */
export async function finishSingleSignOn(
  office: Office,
  answer: { secret: string | undefined; search: string },
  from: From,
): Promise<SignedOn | undefined> {
  const { provider, pool } = office;
  const { secret = '', search } = answer;
  if (provider === null) return undefined;
  const anew = secret.startsWith(anewMark);
  const challenge = anew ? secret.slice(anewMark.length) : secret;
  if (!isChallenge(office, purposeOf(anew), challenge)) return undefined;
  if (!(await takeChallenge(pool, office, challenge))) return undefined;
  const url = new URL(`${office.publicUrl}${callbackPath}?${search}`);
  const claims = await provider.finish(url, bindingOf(office, secret), { anew });
  if (claims === undefined) return undefined;
  return inTransaction(pool, async (tx) => {
    const known = await findTheirs(tx, office, provider.issuer, claims);
    if (known === undefined) return undefined;
    const { account, joined, cleared } = known;
    const at = office.clock.now();
    // Without a word of the provider it may have been days ago.
    const confirmedAt = claims.signedInAt ?? before(at, confirmedMs);
    const signedIn = await openSession(tx, office, account.accountId, {
      ...from,
      confirmedAt: confirmedAt < at ? confirmedAt : at,
    });
    return { ...signedIn, joined, cleared };
  });
}

/** The account that is linked, or has the verified e-mail, or is made of an invitation to it. */
async function findTheirs(
  tx: Tx,
  office: Office,
  issuer: string,
  { subject, email, isEmailVerified, name }: Claims,
): Promise<{ account: AccountRow; joined: string[]; cleared: string[] } | undefined> {
  const at = office.clock.now();
  const verified = isEmailVerified ? email : undefined;
  await lockSubject(tx, { issuer, subject });
  const invitations = verified === undefined ? [] : await takeInvitationsOf(tx, verified, at);
  const tenants = invitations.flatMap(({ tenantId }) => tenantId ?? []);
  for (const tenantId of [...new Set(tenants)].sort()) await lockPeople(tx, tenantId);
  const linked = await findSubject(tx, { issuer, subject });
  const accountId =
    linked ?? (verified && (await ofEmail(tx, office, { email: verified, name }, invitations)));
  const account = accountId === undefined ? undefined : await lockAccount(tx, accountId);
  if (account === undefined) {
    // Nothing is done by halves: the invitations hold on.
    if (invitations.length > 0) throw new Error('an account was forgotten while it signed on');
    return undefined;
  }
  const cleared = linked === undefined ? await link(tx, office, { issuer, subject }, account) : [];
  const joined: string[] = [];
  for (const { tenantId, role } of invitations) {
    const given = await giveRole(tx, { accountId: account.accountId, tenantId, role, at });
    joined.push(tenantId === null ? given : `${tenantId}: ${given}`);
  }
  return { account, joined, cleared };
}

/**
 * Whoever made the account never had to show that its e-mail is theirs: a link of an invitation was
 * enough. So nothing that they may have kept signs in from now on. Says what that was.
 */
async function link(
  tx: Tx,
  office: Office,
  subject: Subject,
  account: AccountRow,
): Promise<string[]> {
  const { accountId } = account;
  const { password, authenticator, recoveryCodes, passkeys } = await clearFactors(tx, account);
  const sessions = await endSessions(tx, accountId);
  await linkSubject(tx, subject, { accountId, at: office.clock.now() });
  await notify(tx, office, accountId, 'single-sign-on-linked');
  const counts = Object.entries({ 'recovery codes': recoveryCodes, passkeys, sessions });
  return [
    ...(password ? ['password'] : []),
    ...(authenticator ? ['authenticator'] : []),
    ...counts.flatMap(([what, n]) => (n === 0 ? [] : [`${what}: ${n}`])),
  ];
}

/** One that is made has no password: nobody but the provider signs them in, until they have one. */
async function ofEmail(
  tx: Tx,
  { clock }: Office,
  { email, name }: { email: string; name: string | undefined },
  invitations: readonly InvitationRow[],
): Promise<string | undefined> {
  const known = await findAccount(tx, email);
  if (known !== undefined) return known.accountId;
  const [invitation] = invitations;
  if (invitation === undefined) return undefined;
  const row = { accountId: randomUUID(), email: invitation.email, name: displayName(name, email) };
  const isMade = await insertAccount(tx, { ...row, passwordHash: null, at: clock.now() });
  return isMade ? row.accountId : (await findAccount(tx, email))?.accountId;
}

function displayName(name: string | undefined, email: string): string {
  const plain = (name ?? '').replaceAll(/[\p{Cc}\p{Cs}]/gu, '').trim();
  return [...(plain === '' ? email : plain)].slice(0, 255).join('');
}

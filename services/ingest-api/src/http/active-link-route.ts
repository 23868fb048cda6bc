import type { ActiveLink } from '@tributary/contracts/public/active-link';
import type { CurrentVerifier } from '@tributary/http/tokens';
import { createLookUpRoute } from './look-up-route.ts';
import type { NoteRefusals } from './note-refusals.ts';
import { referralCodesPath } from './referral-code-route.ts';

/** With the slash: `/referral-codes/active-link` is the look-up of a code of that name. */
export const activeLinksPath = `${referralCodesPath}active-link/`;

/** GET /referral-codes/active-link/{productUserId} (interface 4.6). */
export function createActiveLinkRoute(options: {
  verifyBearer: CurrentVerifier;
  isSuspended: (tenantId: string) => boolean;
  noteRefusals: NoteRefusals;
  findActiveLink: (tenantId: string, productUserId: string) => Promise<ActiveLink | undefined>;
}) {
  const { verifyBearer, isSuspended, noteRefusals, findActiveLink } = options;
  return createLookUpRoute({
    verifyBearer,
    isSuspended,
    noteRefusals,
    prefix: activeLinksPath,
    find: findActiveLink,
    missing: 'This user has no active referral code.',
  });
}

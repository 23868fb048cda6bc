import type { ReferralCode } from '@tributary/contracts/public/referral-code';
import type { CurrentVerifier } from '@tributary/http/tokens';
import { createLookUpRoute } from './look-up-route.ts';
import type { NoteRefusals } from './note-refusals.ts';

export const referralCodesPath = '/referral-codes/';

/** GET /referral-codes/{code} (interface 4.5). */
export function createReferralCodeRoute(options: {
  verifyBearer: CurrentVerifier;
  isSuspended: (tenantId: string) => boolean;
  noteRefusals: NoteRefusals;
  lookUpCode: (tenantId: string, code: string) => Promise<ReferralCode | undefined>;
}) {
  const { verifyBearer, isSuspended, noteRefusals, lookUpCode } = options;
  return createLookUpRoute({
    verifyBearer,
    isSuspended,
    noteRefusals,
    prefix: referralCodesPath,
    find: lookUpCode,
    missing: 'There is no such referral code.',
  });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson, sendProblem } from '@tributary/http/problem-response';
import type { ReferralCode } from '@tributary/contracts/referral-code';
import type { ReferralCodeRow } from '../postgres/referral-codes.ts';
import type { VerifyBearer } from './event-route.ts';

export const referralCodesPath = '/referral-codes/';

/** GET /referral-codes/{code} (interface 4.5). Another tenant's code is a missing one. */
export function createReferralCodeRoute(options: {
  verifyBearer: VerifyBearer;
  findReferralCode: (tenantId: string, ucc: string) => Promise<ReferralCodeRow | undefined>;
}): (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void> {
  const { verifyBearer, findReferralCode } = options;

  return async (req, res, path) => {
    const caller = verifyBearer(req.headers.authorization);
    if (!caller) return sendProblem(res, 'UNAUTHORIZED');
    const code = decodeCode(path.slice(referralCodesPath.length));
    if (code === undefined) return sendProblem(res, 'NOT_FOUND', { detail: missing });
    if (req.method !== 'GET') {
      const detail = 'Codes are looked up with GET.';
      return sendProblem(res, 'NOT_FOUND', { allow: 'GET', detail });
    }
    const found = await findReferralCode(caller.tenantId, code);
    if (!found) return sendProblem(res, 'NOT_FOUND', { detail: missing });
    const { status, productUserId, campaignId } = found;
    const answer: ReferralCode = { code, valid: status === 'issued', productUserId, campaignId };
    sendJson(res, 200, answer);
  };
}

const missing = 'There is no such referral code.';

/** One path segment, decoded; undefined for what cannot be a code: no look-up is needed then. */
function decodeCode(segment: string): string | undefined {
  if (segment === '' || segment.includes('/')) return undefined;
  try {
    const code = decodeURIComponent(segment);
    return code.includes('\0') || code.length > 2 * 255 ? undefined : code;
  } catch {
    return undefined;
  }
}

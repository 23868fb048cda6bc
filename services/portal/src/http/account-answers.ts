import type { Office } from '../accounts/commands/office.ts';
import { describeAccount } from '../accounts/commands/sessions.ts';
import type { Verified } from '../accounts/commands/verify-credentials.ts';
import type { Caller, Session } from '../accounts/domain/caller.ts';
import { unauthorized } from './admit.ts';
import { Refusal } from './refusal.ts';

/** The router lets nobody in without one. */
export function sessionOf({ session }: Caller): Session {
  if (session === undefined) throw unauthorized();
  return session;
}

/** @throws {Refusal} UNAUTHORIZED when the account was forgotten meanwhile. */
export async function showSession(office: Office, session: Session) {
  const body = await describeAccount(office, session);
  if (body === undefined) throw unauthorized();
  return { status: 200, body } as const;
}

export function notVerified(verified: Exclude<Verified, { outcome: 'right' }>): Refusal {
  switch (verified.outcome) {
    case 'too-many': {
      const { retryAfterSeconds } = verified;
      const detail = 'There were too many failed attempts. Wait, then try again.';
      return new Refusal('TOO_MANY_REQUESTS', { detail, retryAfterSeconds });
    }
    case 'factor-needed': {
      const { code, passkey } = verified;
      const required = (pointer: string, what: string) => {
        return { pointer, code: 'REQUIRED', detail: `must be given: ${what}` } as const;
      };
      return new Refusal('UNAUTHORIZED', {
        detail: 'The account has a second factor.',
        errors: [
          ...(code ? [required('/code', 'a code of the authenticator, or a recovery code')] : []),
          ...(passkey ? [required('/passkey', 'a passkey, or a recovery code as `code`')] : []),
        ],
      });
    }
    case 'wrong':
      return new Refusal('UNAUTHORIZED', {
        detail: 'E-mail, password, code or passkey is wrong.',
      });
    default:
      return verified satisfies never;
  }
}

export function conflict(detail: string): Refusal {
  return new Refusal('CONFLICT', { detail });
}

import { parseTimestamp } from '@tributary/contracts/rfc3339';
import type { OwnedCode } from './choose-invite.ts';

/** From the click to the first boot; later, somebody else's doing is as likely. */
export const recoveryWindowDays = 7;

/**
 * Whether somebody who followed a link became a user soon after: their first boot is not before the
 * click, by the two clocks as they are, and within seven days after it.
 */
export function bootedSoonAfter(capturedAt: string, firstBootAt: string): boolean {
  const captured = parseTimestamp(capturedAt)?.epochMs;
  const booted = parseTimestamp(firstBootAt)?.epochMs;
  if (captured === undefined || booted === undefined) return false;
  return captured <= booted && booted - captured <= recoveryWindowDays * dayMs;
}

/** Nobody refers themselves, and a disabled code refers nobody. */
export function refers(code: OwnedCode | undefined, productUserId: string): boolean {
  return code?.status === 'issued' && code.productUserId !== productUserId;
}

/**
 * When a user booted for the first time, UTC with milliseconds: their derived code was issued then.
 * Undefined for who has codes of an operator's choice only.
 */
export function firstBootOf(
  codes: readonly OwnedCode[],
  isDerived: (code: OwnedCode) => boolean,
): string | undefined {
  const boots = codes.filter(isDerived).map(({ issuedAt }) => issuedAt);
  return boots.sort()[0];
}

const dayMs = 86_400_000;

import { Secret, TOTP } from 'otpauth';
import { randomInt } from 'node:crypto';

const period = 30;

/** Base32, as authenticators take it. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

export function otpauthUrl(secret: string, label: string): string {
  return totpOf(secret, label).toString();
}

/** The step that a code is of, or undefined when it is none of now, of the one before or after. */
export function stepOfCode(secret: string, code: string, at: Date): number | undefined {
  const token = code.replaceAll(/\s/g, '');
  if (!/^[0-9]{6}$/.test(token)) return undefined;
  const timestamp = at.getTime();
  const delta = totpOf(secret, '').validate({ token, timestamp, window: 1 });
  return delta === null ? undefined : Math.floor(timestamp / 1_000 / period) + delta;
}

/** Without letters and digits that look alike; some 49 bits each. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

export function newRecoveryCodes(): string[] {
  const part = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: 10 }, () => `${part()}-${part()}`);
}

/** As it is kept, however somebody typed it. */
export function plainRecoveryCode(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({
    issuer: 'Tributary',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period,
    secret: Secret.fromBase32(secret),
  });
}

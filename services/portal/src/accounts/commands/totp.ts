import { Secret, TOTP } from 'otpauth';

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

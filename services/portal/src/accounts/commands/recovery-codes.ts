import { randomInt } from 'node:crypto';
import type { Office } from './office.ts';

/** Without letters and digits that look alike; some 49 bits each. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

export function newRecoveryCodes(): string[] {
  const part = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: 10 }, () => `${part()}-${part()}`);
}

/** As one is digested, however somebody typed it. */
export function recoveryText(accountId: string, code: string): string {
  return `recovery:${accountId}:${code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`;
}

export function digestsOf(
  { digest }: Pick<Office, 'digest'>,
  accountId: string,
  codes: readonly string[],
): string[] {
  return codes.map((code) => digest(recoveryText(accountId, code)));
}

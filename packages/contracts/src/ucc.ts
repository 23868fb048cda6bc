import { createHmac } from 'node:crypto';

/**
 * The code of a user in a campaign: 11 base62 characters by HMAC under a key that never rotates,
 * so that any service can compute it without asking and publishing it twice changes nothing
 * (design 7, "A UCC").
 */
export function deriveUcc(
  key: Buffer,
  parts: { tenantId: string; campaignId: string; productUserId: string; generation: number },
): string {
  const { tenantId, campaignId, productUserId, generation } = parts;
  const cause = JSON.stringify(['ucc', tenantId, campaignId, productUserId, generation]);
  // 128 bits against 62^11 (about 65 bits): the modulo leaves no visible bias.
  const digest = createHmac('sha256', key).update(cause).digest('hex').slice(0, 32);
  let rest = BigInt(`0x${digest}`);
  let ucc = '';
  for (let i = 0; i < uccLength; i++) {
    ucc += alphabet[Number(rest % 62n)]!;
    rest /= 62n;
  }
  return ucc;
}

/** Custom codes may not have this form: it is kept for derived ones. */
export function isDerivedUccForm(text: string): boolean {
  return /^[0-9A-Za-z]{11}$/.test(text);
}

const uccLength = 11;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

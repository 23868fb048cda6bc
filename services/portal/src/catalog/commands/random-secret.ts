import { randomBytes } from 'node:crypto';

/** `byteCount` random bytes as base64url text. */
export function randomSecret(byteCount: number): string {
  return randomBytes(byteCount).toString('base64url');
}

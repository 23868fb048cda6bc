import { createHash, timingSafeEqual } from 'node:crypto';

export type Credentials = { username: string; password: string };

/**
 * Whether an Authorization header has one of the credentials. Digests are compared, which have one
 * length, and always with all of them: how long it takes says nothing about how much was right. The
 * text `username:password` is compared whole, so a password may have colons.
 */
export function createBasicCheck(
  accepted: readonly Credentials[],
): (authorization: unknown) => boolean {
  if (accepted.length === 0) throw new TypeError('no credentials are given');
  const digests = accepted.map(({ username, password }) => {
    if (!isText(username)) throw new TypeError('the username of the webhook is missing');
    if (!isText(password)) throw new TypeError('the password of the webhook is missing');
    return digest(Buffer.from(`${username}:${password}`, 'utf8'));
  });

  return (authorization) => {
    const encoded =
      typeof authorization === 'string'
        ? /^basic +([^ ]+) *$/i.exec(authorization)?.[1]
        : undefined;
    const given = digest(Buffer.from(encoded ?? '', 'base64'));
    return digests.map((one) => timingSafeEqual(one, given)).includes(true);
  };
}

function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** A variable that was forgotten in the environment must not become a password. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

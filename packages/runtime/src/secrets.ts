import { createCipheriv, createDecipheriv, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Keys of one purpose, newest first. The newest seals and signs; all of them open and verify, so a
 * key is rotated by putting a new one in front and removing the old one when nothing uses it.
 */
export type KeyRing = readonly RingKey[];
export type RingKey = { readonly keyId: string; readonly key: Buffer };

/**
 * Encrypts with AES-256-GCM under the newest key: `v1.<keyId>.<iv>.<tag>.<ciphertext>`, base64url.
 * `context` names what the text is for, e.g. `tenantId:product-secret`. It is authenticated and
 * not stored: a sealed text that is moved to another place does not open there.
 */
export function sealSecret(ring: KeyRing, plaintext: string, context: string): string {
  const newest = ring[0];
  if (newest === undefined) throw new Error('the key ring is empty');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', newest.key, iv);
  cipher.setAAD(Buffer.from(context, 'utf8'));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  const parts = [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url'));
  return ['v1', newest.keyId, ...parts].join('.');
}

/**
 * The text that was sealed for the same context. Throws otherwise: an unknown key, another context
 * or a changed text is a mistake of the deployment, never of a caller. No error repeats a value.
 */
export function openSecret(ring: KeyRing, sealed: string, context: string): string {
  const [version, keyId, iv, tag, ciphertext, ...more] = sealed.split('.');
  if (version !== 'v1' || ciphertext === undefined || more.length > 0) {
    throw new Error('a sealed secret is not of the form v1.<keyId>.<iv>.<tag>.<ciphertext>');
  }
  const found = ring.find((entry) => entry.keyId === keyId);
  if (found === undefined) {
    throw new Error('a secret is sealed under a key that is not in the key ring');
  }
  try {
    const options = { authTagLength: 16 };
    const decipher = createDecipheriv('aes-256-gcm', found.key, bytes(iv), options);
    decipher.setAAD(Buffer.from(context, 'utf8'));
    decipher.setAuthTag(bytes(tag));
    return Buffer.concat([decipher.update(bytes(ciphertext)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Error(
      'a sealed secret does not open: it was changed, or sealed for another context',
      {
        cause,
      },
    );
  }
}

/** HMAC-SHA-256 of the text, base64url: for secrets that are compared and never read back. */
export function keyedDigest(key: Buffer, text: string): string {
  return createKeyedDigest(key)(text);
}

/**
 * {@link keyedDigest} for many texts. HMAC as RFC 2104 defines it, of two digests: each
 * `createHmac` makes an object that only V8's rare collections take away.
 */
export function createKeyedDigest(key: Buffer): (text: string) => string {
  const short = key.length > blockBytes ? hash('sha256', key, 'buffer') : key;
  const [inner, outer] = [0x36, 0x5c].map((pad) =>
    Buffer.from(Uint8Array.from({ length: blockBytes }, (_, n) => (short[n] ?? 0) ^ pad)),
  ) as [Buffer, Buffer];
  return (text) => {
    const message = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text));
    inner.copy(message);
    message.write(text, blockBytes, 'utf8');
    const digest = hash('sha256', message, 'buffer');
    return hash('sha256', Buffer.concat([outer, digest]), 'base64url');
  };
}

const blockBytes = 64; // SHA-256 works in blocks of as many

/** Takes the same time wherever the texts differ; their lengths do not show either. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function bytes(base64url: string | undefined): Buffer {
  return Buffer.from(base64url ?? '', 'base64url');
}

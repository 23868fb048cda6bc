import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** What one path under /docs answers with, made once at start. */
export type DocsResource = {
  headers: Record<string, string>;
  plain: Buffer;
  gzipped: Buffer;
};

const compress = promisify(gzip);

export async function createResource(options: {
  contentType: string;
  content: string | Buffer;
  /** Its address names its content: it may be kept for ever. Anything else is asked for again. */
  isHashed?: boolean;
  /** For HTML. */
  policy?: string;
}): Promise<DocsResource> {
  const { contentType, content, isHashed = false, policy } = options;
  const plain = Buffer.from(content);
  return {
    plain,
    gzipped: await compress(plain),
    headers: {
      'Content-Type': contentType,
      'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      // Weak: the compressed form has the same tag.
      ETag: `W/"${digestOf(plain)}"`,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
      ...(policy !== undefined && {
        'Content-Security-Policy': policy,
        'Referrer-Policy': 'no-referrer',
      }),
    },
  };
}

export function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
}

import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a body is plain JSON in UTF-8 by its headers: `application/json`, no charset but utf-8,
 * no content encoding at all (design 8, "Precedence": otherwise 415).
 */
export function isPlainJson(headers: IncomingHttpHeaders): boolean {
  if (headers['content-encoding'] !== undefined) return false;
  const contentType = headers['content-type'];
  // What nearly every caller sends.
  if (contentType === 'application/json') return true;
  return contentType !== undefined && mediaType.test(contentType.trim());
}

const parameter = String.raw`\s*;\s*(?:charset="?utf-8"?|(?!charset\s*=)[\w!#$%&'*+.^|~-]+=(?:[\w!#$%&'*+.^|~-]+|"[^"]*"))?`;
const mediaType = new RegExp(`^application/json(?:${parameter})*\\s*$`, 'i');

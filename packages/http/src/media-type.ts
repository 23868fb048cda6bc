import type { IncomingMessage } from 'node:http';

/**
 * Whether a body is plain JSON in UTF-8 by its headers: `application/json`, no charset but utf-8,
 * no content encoding at all (design 8, "Precedence": otherwise 415). Said more than once, it has
 * to be so each time: node's `headers` keep the first line alone.
 */
export function isPlainJson({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let seen = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length !== contentType.length && name.length !== contentEncoding.length) continue;
    const lower = name.toLowerCase();
    if (lower === contentEncoding) return false;
    if (lower !== contentType) continue;
    if (!isJsonType(rawHeaders[at + 1] ?? '')) return false;
    seen = true;
  }
  return seen;
}

const contentType = 'content-type';
const contentEncoding = 'content-encoding';

function isJsonType(value: string): boolean {
  // What nearly every caller sends.
  return value === 'application/json' || mediaType.test(value.trim());
}

// Each blank can be matched in one way only: a header of `; ; ;` that fails in the end must not be
// tried in all of them.
const token = String.raw`[\w!#$%&'*+.^|~\x60-]+`;
const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const charset = '(?:utf-8|"utf-8")';
const parameter = `(?:charset=${charset}|(?!charset=)${token}=(?:${token}|${quoted}))`;
const mediaType = new RegExp(`^application/json\\s*(?:;\\s*(?:${parameter}\\s*)?)*$`, 'i');

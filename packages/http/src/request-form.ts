import type { IncomingMessage } from 'node:http';

/**
 * What node's parser lets through although HTTP/1.1 says 400 (RFC 9112 2.3, 3.2, 6.1), in words for
 * the caller; undefined for every sound request.
 */
export function formMistake(req: IncomingMessage): string | undefined {
  const { httpVersionMajor, httpVersionMinor, headers } = req;
  if (httpVersionMajor !== 1) return 'HTTP/1.1 is spoken here.';
  // Asked here and not by node (requireHostHeader), which would answer without a body.
  if (headers.host === undefined && httpVersionMinor > 0) return 'A Host header is needed.';
  if (hostLines(req) > 1) return 'One Host header is needed, not several.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return 'The only transfer coding is chunked.';
  }
  return undefined;
}

function hostLines({ rawHeaders }: IncomingMessage): number {
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') lines += 1;
  }
  return lines;
}

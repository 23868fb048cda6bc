import type { IncomingMessage } from 'node:http';

/**
 * The `Authorization` header of a request that has exactly one. Node keeps the first of several,
 * and another server on the way might have validated another one: such a request has none for us.
 */
export function authorizationOf(req: IncomingMessage): string | undefined {
  const { rawHeaders } = req;
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === headerLength && name.toLowerCase() === 'authorization') lines += 1;
  }
  return lines === 1 ? req.headers.authorization : undefined;
}

/**
 * The token of an `Authorization` header (RFC 6750 2.1): the scheme in any case, at least one
 * blank, then one b64token and nothing else.
 */
export function parseBearer(authorizationHeader: string | undefined): string | undefined {
  if (authorizationHeader === undefined) return undefined;
  return /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorizationHeader.trim())?.[1];
}

const headerLength = 'authorization'.length;

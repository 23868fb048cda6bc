/**
 * The token of an `Authorization` header (RFC 6750 2.1): the scheme in any case, at least one
 * blank, then one b64token and nothing else.
 */
export function parseBearer(authorizationHeader: string | undefined): string | undefined {
  if (authorizationHeader === undefined) return undefined;
  return /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorizationHeader.trim())?.[1];
}

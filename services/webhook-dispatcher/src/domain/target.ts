/**
 * Where a request may go. Production speaks https only (design 8); a sandbox may also use http.
 * User info in the URL is refused: credentials are the endpoint's own, sent as Basic.
 */
export function targetOf(
  url: string,
  environment: 'prod' | 'sandbox',
): { outcome: 'target'; origin: string; path: string } | { outcome: 'blocked'; reason: string } {
  const parsed = URL.parse(url);
  if (!parsed) return { outcome: 'blocked', reason: 'not a URL' };
  const allowed = environment === 'prod' ? ['https:'] : ['https:', 'http:'];
  if (!allowed.includes(parsed.protocol)) {
    return { outcome: 'blocked', reason: `${parsed.protocol} is not allowed in ${environment}` };
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return { outcome: 'blocked', reason: 'user info in the URL' };
  }
  return { outcome: 'target', origin: parsed.origin, path: parsed.pathname + parsed.search };
}

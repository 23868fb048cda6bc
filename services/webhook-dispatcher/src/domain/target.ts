import { isAllowedPort, type PortRange } from './allowed-ports.ts';

/** An endpoint as it is configured now. */
export type EndpointTarget = {
  tenantId: string;
  url: string;
  username: string;
  sealedPassword: string;
  /** While rotated credentials overlap: the old ones, which are used until `until`. */
  previous?: { username: string; sealedPassword: string; until: Date };
};

export type Target = { origin: string; path: string };

/**
 * Where a request may go, as far as its URL tells: https only in production (design 8), no user
 * info (credentials are the endpoint's own, sent as Basic) and only allowed ports. The URL parser
 * brings every spelling of an address (decimal, octal, hexadecimal, short, full-width) to one form;
 * which addresses are allowed is decided when the connection is made.
 */
export function targetOf(
  url: string,
  rules: { environment: 'prod' | 'sandbox'; allowedPorts: readonly PortRange[] },
): ({ outcome: 'target' } & Target) | { outcome: 'blocked'; reason: string } {
  const { environment, allowedPorts } = rules;
  const parsed = URL.parse(url);
  if (!parsed) return { outcome: 'blocked', reason: 'not a URL' };
  const allowed = environment === 'prod' ? ['https:'] : ['https:', 'http:'];
  if (!allowed.includes(parsed.protocol)) {
    return { outcome: 'blocked', reason: `${parsed.protocol} is not allowed in ${environment}` };
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return { outcome: 'blocked', reason: 'user info in the URL' };
  }
  const port = portOf(parsed);
  if (!isAllowedPort(allowedPorts, port)) {
    return { outcome: 'blocked', reason: `port ${port} is not allowed` };
  }
  return { outcome: 'target', origin: parsed.origin, path: parsed.pathname + parsed.search };
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

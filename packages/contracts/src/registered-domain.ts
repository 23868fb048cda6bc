/**
 * The domains that a tenant's public pages live at (interface 4.7 rule 6). One is a host name,
 * `acme.example`, with `*.` in front for every host below it (not for itself), and with `:port`
 * where the port is not the usual one. In lower case and ASCII, as browsers write an origin.
 */
export type DomainReading =
  { outcome: 'domain'; domain: string } | { outcome: 'wrong'; detail: string };

/** Reads what an operator wrote: letter case and Unicode names are put into the form of origins. */
export function readDomain(text: string): DomainReading {
  const [, wildcard = '', host = ''] = /^(\*\.)?(.*)$/s.exec(text) ?? [];
  if (/[/\\@?#\s]/.test(host) || host.includes('*')) return wrong;
  const url = URL.parse(`https://${host}`);
  if (url === null || url.host === '' || url.host.endsWith('.')) return wrong;
  // A wildcard over a whole top level, or over an address, would be nobody's domain.
  const isName = /[a-z]/.test(url.hostname) && url.hostname.includes('.');
  if (wildcard !== '' && !isName) return wrong;
  const domain = `${wildcard}${url.host}`;
  return domain.length > 255 ? wrong : { outcome: 'domain', domain };
}

const wrong: DomainReading = {
  outcome: 'wrong',
  detail:
    'must be a host name such as shop.example, *.shop.example for all below it, or with a port ' +
    'localhost:3000; no scheme, path or white space',
};

/**
 * Whether a domain needs no proof, at the sandbox, where pages are developed: this machine itself,
 * and names that are set aside for tests and can be nobody's (RFC 2606).
 */
export function needsNoProof(domain: string, environment: 'prod' | 'sandbox'): boolean {
  const name = hostNameOf(domain);
  const isLoopback = /^127(?:\.\d+){3}$/.test(name) || name === '[::1]';
  const isNobodys = /(?:^|\.)(?:localhost|test|example|invalid)$/.test(name);
  return environment === 'sandbox' && (isLoopback || isNobodys);
}

/** Without `*.` and port. */
export function hostNameOf(domain: string): string {
  return new URL(`https://${domain.replace(/^\*\./, '')}`).hostname;
}

/** Whether two domains have a page in common: then one of them covers the other. */
export function haveCommonOrigins(one: string, other: string): boolean {
  return covers(one, other) || covers(other, one);
}

/** A name below each wildcard is enough to see it. */
function covers(wide: string, narrow: string): boolean {
  return isOriginOfDomain(`https://${narrow.replace(/^\*/, 'any')}`, wide, 'sandbox');
}

/**
 * Whether a page of this origin (as the `Origin` header has it) lives at the domain. At production
 * over https only; in the sandbox http too. Opaque origins (`null`) live nowhere.
 */
export function isOriginOfDomain(
  origin: string,
  domain: string,
  environment: 'prod' | 'sandbox',
): boolean {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return false;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && environment === 'sandbox')) {
    return false;
  }
  if (!domain.startsWith('*.')) return url.host === domain;
  return url.host.endsWith(domain.slice(1)) && url.host.length > domain.length - 1;
}

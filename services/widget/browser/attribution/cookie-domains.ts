/**
 * The domains that a cookie of this host could be for, the widest first: of `shop.acme.co.uk` these
 * are `co.uk` (which browsers refuse, as nobody's own), `acme.co.uk` and the host itself. None for
 * an address and for a name without a dot, whose cookies are of the host alone.
 */
export function cookieDomains(host: string): string[] {
  if (/^[\d.]+$|[[:]/.test(host)) return [];
  const labels = host.split('.');
  return labels.slice(1).map((_, i) => labels.slice(-2 - i).join('.'));
}

import { hostNameOf } from '@tributary/contracts/registered-domain';
import { parse } from 'tldts';

/**
 * Whether a domain is a public suffix (`co.uk`, `github.io`): many hold names below it, so neither
 * it nor all that is below it is anybody's. By the kept list of the library, private part included.
 */
export function isPublicSuffix(domain: string): boolean {
  const name = hostNameOf(domain);
  const { publicSuffix, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
  // A name that no rule knows is its own suffix: `localhost`.
  return publicSuffix === name && (isIcann === true || isPrivate === true);
}

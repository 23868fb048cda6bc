import { isOriginOfDomain } from '@tributary/contracts/registered-domain';

/** Warns about a registered domain that is allowed and perhaps not meant. */
export type DomainWarning = { code: 'SHARED_WITH_TENANT'; pointer: '/domain'; detail: string };

/**
 * One warning for each other tenant that has pages at the same place: there a link's `productId`
 * alone says whose campaign is meant (interface 4.7 rule 6).
 */
export function warnOfSharedDomain(
  domain: string,
  ofOthers: readonly { tenantId: string; domain: string }[],
): DomainWarning[] {
  const shared = ofOthers.filter((other) => haveCommonOrigins(domain, other.domain));
  const tenantIds = [...new Set(shared.map(({ tenantId }) => tenantId))];
  return tenantIds.map((tenantId) => {
    const theirs = shared.filter((other) => other.tenantId === tenantId);
    const names = theirs.map((other) => other.domain).join(', ');
    return {
      code: 'SHARED_WITH_TENANT',
      pointer: '/domain',
      detail:
        `tenant ${tenantId} has pages there too (${names}): a link without its productId is ` +
        'answered with an empty configuration on these pages',
    };
  });
}

/**
 * When two patterns have a page in common, one covers the other; a name below each is enough to see
 * it.
 */
function haveCommonOrigins(one: string, other: string): boolean {
  return covers(one, other) || covers(other, one);
}

function covers(wide: string, narrow: string): boolean {
  return isOriginOfDomain(`https://${narrow.replace(/^\*/, 'any')}`, wide, 'sandbox');
}

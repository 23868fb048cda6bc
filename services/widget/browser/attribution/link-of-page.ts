import { isId } from '../shared/click-cookie.ts';

/** A referral link: what an address says of who referred whoever opened it. */
export type Link = { ucc: string; productId?: string | undefined };

/** Undefined when the address names no code, or one that no code can be. */
export function readLink(address: string): Link | undefined {
  const query = queryOf(address);
  const ucc = query?.get('ucc');
  const productId = query?.get('productId');
  if (!isId(ucc)) return undefined;
  return { ucc, productId: isId(productId) ? productId : undefined };
}

function queryOf(address: string): URLSearchParams | undefined {
  try {
    // Not the page's own constant `URL`, which goes before the browser's in every script.
    return new globalThis.URL(address).searchParams;
  } catch {
    return undefined;
  }
}

export function sameLink(a: Link | undefined, b: Link | undefined): boolean {
  return a?.ucc === b?.ucc && a?.productId === b?.productId;
}

/** The address with the code in it; undefined when it is none that a page could read it from. */
export function addLink(address: string, { ucc, productId }: Link): string | undefined {
  if (!/^https?:/.test(address)) return undefined;
  try {
    const url = new globalThis.URL(address);
    url.searchParams.set('ucc', ucc);
    if (productId) url.searchParams.set('productId', productId);
    return url.href;
  } catch {
    return undefined; // no browser can follow it
  }
}

/**
 * Reads the link in the page's address. A page may have taken it out before this script ran, as
 * single-page applications do that send visitors on: the first time, what the page was opened by
 * counts too, which the browser remembers.
 */
export function createPageLink(): () => Link | undefined {
  let [opened] = performance.getEntriesByType('navigation');
  return () => {
    const first = opened;
    opened = undefined;
    return readLink(location.href) ?? (first && readLink(first.name));
  };
}

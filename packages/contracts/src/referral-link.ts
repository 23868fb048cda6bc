/**
 * The invite link of a code: landingUrl?productId=…&ucc=… (design 8, "Lookup"). What the landing
 * address already has (query, fragment) stays byte for byte where it is.
 */
export function referralLink(landingUrl: string, productId: string, ucc: string): string {
  const [address = '', ...fragment] = landingUrl.split('#');
  const ours = `productId=${encodeURIComponent(productId)}&ucc=${encodeURIComponent(ucc)}`;
  return [`${address}${separatorAfter(address)}${ours}`, ...fragment].join('#');
}

function separatorAfter(address: string): '' | '?' | '&' {
  if (!address.includes('?')) return '?';
  return address.endsWith('?') || address.endsWith('&') ? '' : '&';
}

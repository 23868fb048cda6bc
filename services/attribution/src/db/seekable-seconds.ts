/**
 * Seconds cut to microseconds, for finding rows: a fraction may have tens of thousands of digits,
 * which neither an index nor `numeric` takes. Campaigns take effect at whole milliseconds, so the
 * cut never moves a fact across; decisions compare the exact text anyway.
 */
export function seekableSeconds(exactSeconds: string): string {
  const [whole = '0', fraction = ''] = exactSeconds.split('.');
  return fraction === '' ? whole : `${whole}.${fraction.slice(0, 6)}`;
}

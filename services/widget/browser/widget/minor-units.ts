/** ISO 4217 currencies by the digits of their minor unit; those that are not here have two. */
const codesByDigits: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const digitsByCode = new Map(
  Object.entries(codesByDigits).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
);

/**
 * As `minorUnitExponent` of the contracts (a spec holds them together), whose module brings the
 * whole list and its schema with it. Intl's own digits are those of custom, not of ISO 4217.
 */
export function minorUnitDigits(currency: string): number {
  return digitsByCode.get(currency) ?? 2;
}

import { Type } from '@sinclair/typebox';

/**
 * ISO 4217 list one (active currencies, funds and X-codes) as published on 2026-01-01: 178 codes.
 * XCG, ZWG, VED, SLE and XAD are in; ANG, BGN, HRK, CUC, SLL and ZWL are history and out.
 */
export const currencyListDate = '2026-01-01';

/** Codes by the exponent of their minor unit. X-codes without one ("N.A.") count whole units. */
const codesByExponent: Readonly<Record<number, string>> = {
  0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF
      XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX`,
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
      CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP
      GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK
      LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO
      NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS
      SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST
      XAD XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const exponents = new Map<string, number>(
  Object.entries(codesByExponent)
    .flatMap(([exponent, codes]) =>
      codes.split(/\s+/).map((code) => [code, Number(exponent)] as const),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

export const currencyCodes: readonly string[] = [...exponents.keys()];

/** Digits of the minor unit: 2 for EUR, 0 for JPY. Undefined for what is not in the list. */
export function minorUnitExponent(code: string): number | undefined {
  return exponents.get(code);
}

/** Interface 2.4: an uppercase code of the list, not just any three letters. */
export const Currency = Type.Unsafe<string>({
  type: 'string',
  enum: [...currencyCodes],
  description: 'an uppercase ISO 4217 alphabetic code such as EUR',
});

import { type Case, nameOf } from '../case.ts';
import { type Caller, validatedCase } from '../event-request.ts';
import { createRandom } from '../random.ts';
import { currencyCodes } from '../oracle/currency-codes.ts';
import { bodyOf } from '../valid-bodies.ts';

const inTheList = [
  ...['XCG', 'ZWG', 'VED', 'SLE', 'XAD', 'XAU', 'XDR', 'XTS', 'XXX', 'XSU', 'XUA', 'XBA', 'CHE'],
  ...['CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW', 'BOV', 'EUR', 'USD', 'JPY', 'KWD', 'IQD'],
];

/** Withdrawn, or never in the list: some are in many programs' lists. */
const notInTheList = [
  ...['ANG', 'BGN', 'HRK', 'CUC', 'SLL', 'ZWL', 'EEK', 'LTL', 'LVL', 'SKK', 'SIT', 'MTL', 'CYP'],
  ...['DEM', 'FRF', 'ITL', 'ATS', 'BEF', 'ESP', 'FIM', 'GRD', 'IEP', 'LUF', 'NLG', 'PTE', 'XEU'],
  ...['BYR', 'MRO', 'STD', 'VEF', 'VEB', 'ZMK', 'ZWD', 'ZWN', 'ZWR', 'TMM', 'TRL', 'AZM', 'ROL'],
  ...['RUR', 'PLZ', 'MXP', 'BRR', 'ARA', 'PEI', 'UAK', 'GHC', 'MZM', 'SDD', 'SRG', 'USS', 'XFO'],
  ...['XFU', 'XRE', 'YUM', 'CSD', 'CSK', 'DDM', 'SUR', 'AFA', 'AON', 'BGL', 'GWP', 'MGF', 'ZAL'],
  ...['BTC', 'XBT', 'ETH', 'USDT', 'CNH', 'CNT', 'GGP', 'IMP', 'JEP', 'KID', 'TVD', 'FOK', 'PRB'],
  ...['AAA', 'ZZZ', 'QQQ', 'XAA', 'XCH', 'CHN', 'EUX', 'EU', 'E', 'EURO', 'EURUSD', 'EUR ', ' EUR'],
  ...[
    'EUR\n',
    '\tEUR',
    'EUR\u0000',
    '\u0000',
    '',
    ' ',
    '€',
    '$',
    '978',
    '840',
    'ЕUR',
    'ＥＵＲ',
    'EUR.',
  ],
  ...[
    'eur',
    'Eur',
    'EUr',
    'eUR',
    'usd',
    'xcg',
    'ƎUR',
    'ĿKR',
    'IſK',
    '\ud800',
    'EUR\ud800',
    'E\u200bUR',
  ],
  ...['toString', 'constructor', '__proto__', 'EUR|USD', 'EUR,USD', '*', '.*', '...', 'EUR\u0301'],
];

export function mislabelledCurrencies(): string[] {
  return [
    ...inTheList.filter((code) => !currencyCodes.has(code)),
    ...notInTheList.filter((code) => currencyCodes.has(code)),
  ];
}

/** Every code of the list, its neighbours by one letter, and codes of no list (2.4). */
export function currencyCases(caller: Caller): Case[] {
  const random = createRandom(4217);
  const listed = [...currencyCodes];
  const letter = () => random.oneOf([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']);
  const neighbours = listed.flatMap((code) => [
    `${letter()}${code.slice(1)}`,
    `${code.slice(0, 2)}${letter()}`,
    code.toLowerCase(),
  ]);
  const triples = Array.from({ length: 300 }, () => `${letter()}${letter()}${letter()}`);
  return [...new Set([...listed, ...notInTheList, ...neighbours, ...triples])].map((code) =>
    validatedCase(caller, `currency: ${nameOf(code)}`, bodyOf('currency', code)),
  );
}

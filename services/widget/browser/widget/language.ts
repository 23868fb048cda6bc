import type { WidgetTexts } from '@tributary/contracts/widget-settings';
import { en, type LanguageTexts, type TextKey } from './languages/en.ts';

/** The language that a widget speaks, with the tenant's own texts laid over ours. */
export type Language = {
  /** `en`, `de`, `pt-BR`. */
  code: string;
  direction: 'ltr' | 'rtl';
  /**
   * The text with its `{name}`s filled in; `count` chooses the plural form (`key.one`,
   * `key.other`). `count` and numbers are written as the language writes them, other strings as
   * they are.
   */
  text(key: TextKey, values?: Record<string, string | number>): string;
  /** An exact decimal as this language writes it. */
  number(decimal: string | number): string;
  percent(fraction: number): string;
  /** A UTC instant as a short date. */
  date(instant: string): string;
  /** An exact decimal of major units, `10.50`. */
  money(decimal: string, currency: string): string;
  /** `a, b or c`. */
  list(items: string[]): string;
  /** What the tenant wrote for a key, ours or not. */
  own(key: string): string | undefined;
  /** All texts as they are written, by written key. */
  all(): Record<string, string>;
};

/** What a language is made of. */
export type LanguageSources = {
  code: string;
  /** Absent: English, which also stands in for each text that is missing. */
  texts?: LanguageTexts | undefined;
  /** The tenant's, of all languages. */
  overlay?: WidgetTexts | undefined;
  /** Absent: as the language is written. */
  direction?: 'ltr' | 'rtl' | undefined;
};

/** Never throws: a code that Intl does not know is written as English is. */
export function createLanguage({ code, texts, overlay, direction }: LanguageSources): Language {
  const locale = knownLocale(code);
  const own = overlayOf(code, overlay);
  const written: Record<string, string> = { ...en, ...texts, ...own };
  const plurals = new Intl.PluralRules(locale);
  const number = (decimal: string | number): string => {
    const decimals = fractionDigits(String(decimal));
    const format = new Intl.NumberFormat(locale, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    // A string is taken as the exact decimal that it is, not by way of a float.
    return format.format(decimal as Intl.StringNumericLiteral);
  };
  const form = (key: TextKey, count: string | number | undefined): string => {
    if (count === undefined) return written[key] ?? key;
    return written[`${key}.${plurals.select(Number(count))}`] ?? written[`${key}.other`] ?? key;
  };
  return {
    code,
    direction: direction ?? directionOf(locale),
    text: (key, values = {}) =>
      form(key, values.count).replace(/\{([a-zA-Z]+)\}/g, (whole, name: string) => {
        const value = values[name];
        if (value === undefined) return whole;
        return name === 'count' || typeof value === 'number' ? number(value) : value;
      }),
    number,
    percent: (fraction) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(
        fraction,
      ),
    date: (instant) =>
      new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(new Date(instant)),
    money: (decimal, currency) =>
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        minimumFractionDigits: fractionDigits(decimal),
        maximumFractionDigits: fractionDigits(decimal),
      }).format(decimal as Intl.StringNumericLiteral),
    list: (items) => new Intl.ListFormat(locale, { type: 'disjunction' }).format(items),
    own: (key) => (Object.hasOwn(own, key) ? own[key] : undefined),
    all: () => ({ ...written }),
  };
}

/** The tenant's texts for `de-AT` over those for `de`. */
function overlayOf(code: string, overlay: WidgetTexts = {}): Record<string, string> {
  const ours = (tag: string) => (Object.hasOwn(overlay, tag) ? overlay[tag] : {});
  return { ...ours(baseOf(code)), ...ours(code) };
}

/** `de` of `de-AT`. */
export function baseOf(code: string): string {
  return code.split('-')[0] ?? code;
}

/** Credits are told as exactly as they come, whole ones without a fraction. At most 6 decimals. */
function fractionDigits(decimal: string): number {
  const fraction = /\.(\d*[1-9]\d*)$/.exec(decimal)?.[1] ?? '';
  return Math.min(fraction.length, 6);
}

function knownLocale(code: string): string {
  try {
    return Intl.getCanonicalLocales(code)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Languages that are written from right to left; not every browser tells by Intl.Locale yet. */
const rightToLeft = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'iw', 'ps', 'sd', 'ug', 'ur', 'yi']);

function directionOf(locale: string): 'ltr' | 'rtl' {
  return rightToLeft.has(baseOf(locale)) ? 'rtl' : 'ltr';
}

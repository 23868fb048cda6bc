import type { WidgetTexts } from '@tributary/contracts/widget-settings';
import { baseOf } from './language.ts';

/**
 * The first wanted language that there are texts for, ours or the tenant's, as its own tag: `de-AT`
 * is served by the texts for `de`, with numbers and dates as Austria writes them. None: English.
 */
export function chooseLanguage(
  wanted: readonly string[],
  ours: readonly string[],
  overlay: WidgetTexts = {},
): string {
  const served = new Set([...ours, ...Object.keys(overlay)]);
  const codes = wanted.flatMap(canonical);
  return codes.find((code) => served.has(code) || served.has(baseOf(code))) ?? 'en';
}

/** Pages write `de_DE` and `DE` too; what is no tag at all is skipped. */
function canonical(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag.trim().replace(/_/g, '-'));
  } catch {
    return [];
  }
}

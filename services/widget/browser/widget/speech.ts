import type { WidgetTexts } from '@tributary/contracts/widget-settings';
import type { BootOptions } from './boot-options.ts';
import { chooseLanguage } from './choose-language.ts';
import { createLanguage, type Language } from './language.ts';
import { loadTexts, ourLanguages } from './load-language.ts';

/**
 * The language of a booted widget, as boot, the page, the visitor and the tenant's texts decide.
 */
export async function speak(options: BootOptions, overlay?: WidgetTexts): Promise<Language> {
  const { language, direction } = options;
  const wanted = [language ?? '', document.documentElement.lang, ...navigator.languages];
  const code = chooseLanguage(wanted, ourLanguages, overlay);
  return createLanguage({ code, texts: await loadTexts(code), overlay, direction });
}

import type { WidgetTheme } from '@tributary/contracts/widget-settings';
import type { BootOptions } from './boot-options.ts';
import { styleSheet } from './base-styles.ts';
import type { Language } from './language.ts';
import type { Look } from './launcher-button.ts';
import { schemeOf, themeCss } from './theme.ts';

/**
 * Gives the look for what holds now. The style sheet stays the same one, and is written when it
 * changes.
 */
export function createLooks(): (shown: {
  theme: WidgetTheme;
  language: Language;
  ready: boolean;
  open: boolean;
}) => Look {
  const sheet = styleSheet('');
  let written = '';
  return ({ theme, language, ready, open }) => {
    const declaredByPage = getComputedStyle(document.documentElement).colorScheme;
    const rules = themeCss(theme, schemeOf(theme, declaredByPage));
    if (rules !== written) sheet.replaceSync((written = rules));
    return {
      ready,
      open,
      theme: sheet,
      label: language.text('launcher.label'),
      language: language.code,
      direction: language.direction,
      side: theme.launcherSide ?? 'end',
    };
  };
}

/** Whether the widget shows a launcher of its own. A page that has placed one needs no other. */
export function floats({ launcher }: BootOptions, placedInPage: number): boolean {
  return launcher === 'floating' || (launcher === undefined && placedInPage === 0);
}

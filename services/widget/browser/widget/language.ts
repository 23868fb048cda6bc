import type { TextKey } from './languages/en.ts';

/** The language that a widget speaks, with the tenant's own texts laid over ours. */
export type Language = {
  /** `en`, `de`, `pt-BR`. */
  code: string;
  direction: 'ltr' | 'rtl';
  /** The text with its `{name}`s filled in; `count` chooses the plural form (`key.one`, `key.other`). */
  text(key: TextKey, values?: Record<string, string | number>): string;
  /** An exact decimal as this language writes it. */
  number(decimal: string | number): string;
  percent(fraction: number): string;
  /** A UTC instant as a short date. */
  date(instant: string): string;
};

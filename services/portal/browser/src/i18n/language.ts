import { createStoredChoice } from '../parts/stored-choice.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** What was chosen, else what the browser asks for, else English. */
export const language = createStoredChoice<Language>('tributary-language', languages, () =>
  navigator.languages.some((each) => each.startsWith('de') && !isBehindEnglish(each)) ? 'de' : 'en',
);

function isBehindEnglish(tag: string): boolean {
  const english = navigator.languages.findIndex((each) => each.startsWith('en'));
  return english !== -1 && english < navigator.languages.indexOf(tag);
}

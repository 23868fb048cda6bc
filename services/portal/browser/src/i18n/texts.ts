import { language, type Language } from './language.ts';

/** The texts of one page or part in every language. */
export type Texts<T> = Readonly<Record<Language, T>>;

/**
 * Declares texts: `{ en: {…}, de: {…} }`, strings or functions that return one. English says which
 * keys there are; German with one fewer or one more does not compile.
 */
export function defineTexts<const T extends Record<string, unknown>>(all: {
  en: T;
  de: { [Key in keyof T]: Widened<T[Key]> };
}): Texts<{ [Key in keyof T]: Widened<T[Key]> }> {
  return all as Texts<{ [Key in keyof T]: Widened<T[Key]> }>;
}

type Widened<T> = T extends string
  ? string
  : T extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof T]: Widened<T[Key]> };

/** Those of the language that is chosen now. */
export function useTexts<T>(texts: Texts<T>): T {
  return texts[language.use()];
}

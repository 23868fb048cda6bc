/** Reads one search parameter; undefined is one that is not there, or is no value of it. */
export type Field<T extends string> = (text: string) => T | undefined;
export type Fields = Readonly<Record<string, Field<string>>>;

/** What a page's search parameters are, typed; each may be left out. */
export type SearchOf<F extends Fields> = {
  readonly [Key in keyof F]?: NonNullable<ReturnType<F[Key]>>;
};

/** What becomes of some of them; undefined takes one away. */
export type SearchPatch<F extends Fields> = {
  readonly [Key in keyof F]?: NonNullable<ReturnType<F[Key]>> | undefined;
};

export const text: Field<string> = (given) => (given === '' ? undefined : given);

export function oneOf<const T extends string>(...values: readonly T[]): Field<T> {
  return (given) => values.find((each) => each === given);
}

/** An absolute instant: a link shows the same period tomorrow, in any zone. */
export const instant: Field<string> = (given) =>
  Number.isNaN(Date.parse(given)) ? undefined : given;

export function readSearch<F extends Fields>(
  fields: F,
  given: Readonly<Record<string, unknown>>,
): SearchOf<F> {
  const entries = Object.entries(fields).map(([key, field]) => {
    const value = given[key];
    return [key, typeof value === 'string' ? field(value) : undefined] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as SearchOf<F>;
}

/** The plain form, `?state=review&from=…`: what is not set is not there. */
export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') parameters.set(key, value);
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

export function parseSearch(given: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(given));
}

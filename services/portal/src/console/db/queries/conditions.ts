/** The `where` of a list, made of the filters that were given, with its parameters. */
export type Conditions = {
  /** A parameter; gives its placeholder. */
  value(value: unknown): string;
  /** `column = value`, unless the value is undefined. */
  equal(column: string, value: string | undefined): void;
  add(condition: string): void;
  where(): string;
  values: unknown[];
};

/** Statements with several `where` share the parameters of all of them. */
export function createConditions(values: unknown[] = []): Conditions {
  const conditions: string[] = [];
  const value = (given: unknown) => `$${values.push(given)}`;
  return {
    values,
    value,
    equal(column, given) {
      if (given !== undefined) conditions.push(`${column} = ${value(given)}`);
    },
    add: (condition) => void conditions.push(condition),
    where: () => (conditions.length === 0 ? 'true' : conditions.join(' and ')),
  };
}

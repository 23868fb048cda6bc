import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { UtcTimestamp } from '../record-text.ts';

// What answers of the admin API are made of.

export const text = Type.String();
export const count = Type.Integer({ minimum: 0 });
export const utc = UtcTimestamp;

/** Exact, and below zero where somebody owes. */
export const decimal = Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$' });

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

export function oneOfTexts<T extends string>(...texts: readonly T[]) {
  return Type.Union(texts.map((one) => Type.Literal(one)));
}

/** Up to when everything that was on the log is in the answer; null while that is being built. */
export const asOf = nullable(utc);

/** How many there are; with `more` at least so many, and nobody counted on. */
export const Count = Type.Object({ count, more: Type.Boolean() });
/** Counting stops here, and says `more`. */
export const countLimit = 10_000;

/** `credits` is the exact sum; absent where there is `more`, and where nothing has credits. */
export const Counted = named(
  'Counted',
  Type.Object({ ...Count.properties, credits: Type.Optional(decimal) }),
);

/**
 * A count of each value of some members; with the credits of what was counted, where it has any.
 */
export function countsBy<N extends string>(...names: readonly N[]) {
  return Type.Object({
    total: Counted,
    groups: Type.Array(
      Type.Object({ by: oneOfTexts(...names), value: text, ...Counted.properties }),
    ),
    asOf,
  });
}

/** A list by its name. */
export function list<N extends string, S extends TSchema>(name: N, item: S) {
  const members = { [name]: Type.Array(item) } as Record<N, ReturnType<typeof Type.Array<S>>>;
  return Type.Object(members);
}

/** A shape that the documentation refers to by its name. */
export function named<S extends TSchema>(title: string, schema: S): S {
  return { ...schema, title };
}

/** The members of a shape and more; the documentation then tells the more only. */
export function extended<S extends TObject, P extends TProperties>(schema: S, more: P) {
  const { properties, title } = schema as S & { properties: S['properties']; title?: string };
  const members = { ...properties, ...more } as S['properties'] & P;
  const names = Object.keys(properties).filter((name) => !(name in more));
  return Type.Object(members, title === undefined ? {} : { extends: { title, members: names } });
}

/** A remark on what was done: nothing is wrong, yet somebody should know. */
export const Remark = Type.Object({ code: text, pointer: text, detail: text });

import { type TProperties, Type } from '@sinclair/typebox';

/** An object without other members: a misspelt one is refused instead of being ignored. */
export function closedObject<P extends TProperties>(members: P) {
  return Type.Object(members, { additionalProperties: false });
}

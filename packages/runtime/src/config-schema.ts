import { type TObject, type TProperties, Type } from '@sinclair/typebox';

/** A schema of variables for a script that has no schema library of its own (see config.ts). */
export function configSchema<P extends TProperties>(variables: P): TObject<P> {
  return Type.Object(variables);
}

import { Type } from '@sinclair/typebox';
import { anyText, printableText } from './text-fields.ts';

/** Who acts, as the caller of the admin API names them. */
export const by = printableText(255);

/** Who acts, and what they want to be remembered of it. */
export const OperatorNote = Type.Object(
  { by, note: Type.Optional(anyText(1_000)) },
  { additionalProperties: false },
);

import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { anyText, printableText } from './text-fields.ts';

/** Who acts, as the caller of the admin API names them. */
export const by = printableText(255);

/** Who acts, and what they want to be remembered of it. */
export const OperatorNote = closedObject({ by, note: Type.Optional(anyText(1_000)) });

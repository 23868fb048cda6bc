import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { orDefault } from './body-validator.ts';
import { anyText, printableText } from './text-fields.ts';

/**
 * Who acts. That is whoever asks (docs/decisions/0047): only the token of the deployment's own
 * configuration, which belongs to nobody, may say a name, and none of an account or a token.
 */
export const by = orDefault(printableText(255), 'operator');

/** Who acts, and what they want to be remembered of it. */
export const OperatorNote = closedObject({ by, note: Type.Optional(anyText(1_000)) });

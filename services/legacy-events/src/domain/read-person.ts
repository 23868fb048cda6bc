import { isEmail } from '@tributary/contracts/email';
import type { PersonRecord } from '@tributary/contracts/people-record';
import type { FieldReader, Section } from './field-reader.ts';

/**
 * E-mail and name of `context.newUser`. No reward depends on them, so one that v2 would refuse is
 * left out instead of losing the event for it; `referral.people` holds the same whoever wrote it.
 */
export function readPerson(
  fields: FieldReader,
  newUser: Section,
): Pick<PersonRecord, 'email' | 'name'> | undefined {
  const email = fields.optionalText(newUser, 'email', {
    maxLength: 320,
    isUsable: (text) => isEmail(text.trim()),
  });
  const name = fields.optionalText(newUser, 'name', { maxLength: 255 });
  if (email === undefined && name === undefined) return undefined;
  return {
    ...(email !== undefined && { email: email.trim() }),
    ...(name !== undefined && { name }),
  };
}
